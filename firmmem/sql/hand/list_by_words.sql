-- The next memories on one shelf that have all these words, newest first.
SELECT memory.id
FROM memory_words
CROSS JOIN memory ON memory.search_id = memory_words.rowid
WHERE memory_words MATCH :match AND memory_words.rowid BETWEEN :lowest AND :highest
    AND /* include list_filters */
ORDER BY memory_words.rowid DESC
LIMIT :most + 0
