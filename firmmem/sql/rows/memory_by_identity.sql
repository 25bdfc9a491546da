-- The memory that has this identity and was not superseded, on whatever shelf.
SELECT memory.*, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.identity = :identity AND memory.superseded_by IS NULL
