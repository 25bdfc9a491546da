-- One memory, wherever it lies.
SELECT * FROM memory WHERE id = :id
