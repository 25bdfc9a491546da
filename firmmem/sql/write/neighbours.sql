-- Memories that match, at most :most of them.
SELECT memory.id, memory.tier, memory.subject, memory.created_at, memory.summary, memory.words
FROM memory_words
CROSS JOIN memory ON memory.search_id = memory_words.rowid
WHERE memory_words MATCH :match AND memory_words.rowid BETWEEN :lowest AND :highest
    AND memory.id NOT IN (SELECT value FROM json_each(:known))
ORDER BY memory_words.rowid DESC
LIMIT :most + 0
