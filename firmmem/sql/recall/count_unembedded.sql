-- How many memories have no vector of one model.
SELECT count(*) AS count FROM memory
WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.memory = memory.id AND vector.encoder = :encoder)
