-- One memory that can be reviewed: active, and not core.
SELECT memory.* FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.id = :id AND memory.tier <> 'core' AND shelf.state = 'active'
