-- What a person made of a core fact of one text, removed or edited since; nothing for a person, who may add it again.
SELECT memory.id
FROM shelf
CROSS JOIN memory INDEXED BY memory_by_stream
    ON memory.shelf IN (shelf.id) AND memory.stream = 999 AND memory.identity = :identity
WHERE NOT by_person()
    AND shelf.namespace = :namespace AND shelf.state IN ('archived', 'superseded') AND shelf.branch = ''
    AND NOT EXISTS (
        SELECT 1 FROM memory AS active
        JOIN shelf AS place ON place.id = active.shelf
        WHERE active.identity = :identity AND active.superseded_by IS NULL AND active.tier = 'core'
            AND place.state = 'active'
    )
ORDER BY memory.id DESC
LIMIT 1
