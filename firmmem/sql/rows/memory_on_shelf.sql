-- Every memory on one shelf.
SELECT memory.*, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.shelf = :shelf
ORDER BY memory.id
