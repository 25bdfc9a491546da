-- One run.
SELECT * FROM run WHERE id = :id
