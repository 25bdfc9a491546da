-- The next memories whose keys are older than the file's keying.
SELECT memory.* FROM keying
CROSS JOIN memory ON memory.id BETWEEN keying.pending_from AND keying.pending_to
WHERE keying.id = 1
ORDER BY memory.id
LIMIT :chunk + 0
