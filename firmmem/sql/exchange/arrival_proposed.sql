-- The proposal of a text.
SELECT * FROM proposal WHERE identity = :identity
