-- The row from which the newest :most rows with one term begin.
SELECT rowid AS first FROM memory_words
WHERE memory_words MATCH :match AND rowid BETWEEN :lowest AND :highest
ORDER BY rowid DESC
LIMIT 1 OFFSET :most - 1
