-- One memory with where it lies, in whatever namespace.
SELECT memory.*, shelf.namespace, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.id = :id
