-- What one memory said before a person edited it.
SELECT id FROM memory INDEXED BY memory_by_superseded_by
WHERE superseded_by = :id AND state_cause = 'person'
ORDER BY id
