-- Have a highest id where no memory was ever written.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'memory', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'memory')
