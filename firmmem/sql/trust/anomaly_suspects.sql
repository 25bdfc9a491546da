-- Those of some memories that still lie in main memory.
SELECT memory.*, shelf.state, shelf.branch, shelf.namespace FROM json_each(:ids) AS wanted
CROSS JOIN memory ON memory.id = wanted.value
JOIN shelf ON shelf.id = memory.shelf
WHERE shelf.state = 'active' AND shelf.branch = '' AND memory.tier <> 'core'
