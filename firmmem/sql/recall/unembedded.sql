-- The next memories above :after that have no vector of one model.
SELECT memory.id, memory.summary FROM memory
WHERE memory.id > :after
    AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.memory = memory.id AND vector.encoder = :encoder)
ORDER BY memory.id
LIMIT :most + 0
