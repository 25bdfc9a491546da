-- The ids of the next memories above :after, whatever namespace they are in.
SELECT id FROM memory WHERE id > :after ORDER BY id LIMIT :most
