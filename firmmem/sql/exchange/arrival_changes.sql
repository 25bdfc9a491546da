-- The last changes of an import that are not taken back yet.
SELECT * FROM arrival_change WHERE run = :run ORDER BY id DESC LIMIT :most + 0
