-- One memory, on whatever shelf.
SELECT * FROM memory WHERE id = :id
