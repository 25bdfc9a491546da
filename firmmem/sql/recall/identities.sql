-- The hashes of some memories' texts.
SELECT memory.id, memory.identity FROM json_each(:ids) AS wanted CROSS JOIN memory ON memory.id = wanted.value
