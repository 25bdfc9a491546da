-- One memory's versions in a namespace: what superseded it, and all that led to the newest, oldest first.
WITH RECURSIVE
    later AS (
        SELECT id, superseded_by, 0 AS step FROM memory WHERE id = :id
        UNION
        SELECT memory.id, memory.superseded_by, later.step + 1
        FROM later CROSS JOIN memory ON memory.id = later.superseded_by
        LIMIT 1000
    ),
    newest AS (SELECT id FROM later ORDER BY step DESC LIMIT 1),
    version AS (
        SELECT id FROM newest
        UNION
        SELECT memory.id
        FROM version CROSS JOIN memory INDEXED BY memory_by_superseded_by ON memory.superseded_by = version.id
        LIMIT 1000
    )
SELECT memory.*, shelf.state, shelf.branch
FROM version
CROSS JOIN memory ON memory.id = version.id
CROSS JOIN shelf ON shelf.id = memory.shelf
WHERE shelf.namespace = :namespace
ORDER BY memory.id
