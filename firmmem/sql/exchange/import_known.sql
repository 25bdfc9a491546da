-- A memory of this text and time that is history already.
SELECT memory.*, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.shelf = :shelf AND memory.created_at = :created_at AND memory.identity = :identity
