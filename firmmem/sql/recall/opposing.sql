-- What stands in use on :shelves against the memories of these ids: those about the same subject (sure), and those that
-- seemed to contradict them when either was written.
WITH
    told AS MATERIALIZED (
        SELECT memory.id, memory.shelf, memory.subject_key
        FROM json_each(:ids) AS wanted
        CROSS JOIN memory ON memory.id IN (wanted.value)
        CROSS JOIN shelf ON shelf.id = memory.shelf AND shelf.state = 'active'
    ),
    pair AS (
        SELECT told.id, other.id AS other, 1 AS sure
        FROM told
        CROSS JOIN json_each(:shelves) AS place
        CROSS JOIN memory AS other INDEXED BY memory_by_subject
            ON other.shelf = place.value AND other.subject_key = told.subject_key AND other.subject_key <> ''
            AND other.id <> told.id
        UNION ALL
        SELECT told.id, conflict.other, 0
        FROM told
        CROSS JOIN conflict ON conflict.memory = told.id
    )
SELECT pair.id, pair.other, max(pair.sure) AS sure, memory.tier, memory.summary, memory.created_at
FROM pair
CROSS JOIN memory ON memory.id IN (pair.other)
CROSS JOIN shelf ON shelf.id = memory.shelf AND shelf.state = 'active'
WHERE memory.shelf IN (SELECT value FROM json_each(:shelves))
GROUP BY pair.id, pair.other
ORDER BY pair.id, sure DESC, pair.other DESC
