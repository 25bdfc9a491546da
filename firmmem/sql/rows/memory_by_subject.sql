-- The memories on one shelf about one subject.
SELECT memory.*, shelf.state, shelf.branch FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.shelf = :shelf AND memory.subject_key = subject_key(:subject) AND memory.subject_key <> ''
ORDER BY memory.id
