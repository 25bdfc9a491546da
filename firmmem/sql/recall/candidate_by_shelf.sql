-- Everything on :shelves that the filters let through: exact by definition, and as slow as the store is large.
    SELECT memory.id, 1.0, 1.0, NULL
    FROM memory
    WHERE memory.shelf IN (SELECT value FROM json_each(:shelves))
        AND memory.tier IN (SELECT value FROM json_each(:tiers))
        AND memory.created_at >= :since AND memory.created_at < :until
        AND (:tags = '[]' OR EXISTS (
            SELECT 1 FROM json_each(:tags) AS tag
            CROSS JOIN memory_tag
                ON memory_tag.shelf = memory.shelf AND memory_tag.tag = tag.value AND memory_tag.memory = memory.id
        ))
