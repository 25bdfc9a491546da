-- The proposal of this text, whatever became of it.
SELECT * FROM proposal WHERE identity = :identity
