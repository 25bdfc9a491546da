-- The core facts on one shelf, oldest first.
SELECT memory.*, shelf.state FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.shelf = :shelf AND memory.stream = 999 AND memory.tier = 'core'
ORDER BY memory.id
