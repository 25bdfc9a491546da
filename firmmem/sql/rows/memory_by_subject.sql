-- The memories on one shelf about one subject.
SELECT memory.*, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.shelf = :shelf AND memory.subject = :subject AND memory.subject <> ''
ORDER BY memory.id
