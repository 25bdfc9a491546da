-- The record of an import.
SELECT * FROM arrival WHERE run = :run
