-- Pairs that seemed to contradict each other when the later was written, both in use, and that no person let be.
SELECT conflict.memory AS id, conflict.other
FROM conflict
CROSS JOIN memory AS older ON older.id = conflict.memory
CROSS JOIN memory AS newer ON newer.id = conflict.other AND newer.shelf = older.shelf
CROSS JOIN shelf ON shelf.id = older.shelf
WHERE conflict.other > conflict.memory
    AND shelf.namespace = :namespace AND shelf.state = 'active' AND shelf.branch = ''
    AND NOT EXISTS (
        SELECT 1 FROM dismissal
        WHERE namespace = :namespace AND kind = 'conflict' AND key = conflict.memory || ' ' || conflict.other
    )
ORDER BY conflict.memory, conflict.other
LIMIT :most + 0
