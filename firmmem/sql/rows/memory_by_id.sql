-- The memories with these ids in one namespace; those of others do not exist.
SELECT memory.*, shelf.state, shelf.branch FROM json_each(:ids) AS wanted
CROSS JOIN memory ON memory.id = wanted.value
JOIN shelf ON shelf.id = memory.shelf
WHERE shelf.namespace = :namespace
ORDER BY wanted.key
