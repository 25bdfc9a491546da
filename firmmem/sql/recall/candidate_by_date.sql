-- What on :shelves was written from :since until :until, by the index of dates.
    SELECT memory.id, 1.0, 1.0, NULL
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_created_at
        ON memory.shelf = place.value AND memory.created_at >= :since AND memory.created_at < :until
    WHERE memory.tier IN (SELECT value FROM json_each(:tiers))
        AND (:tags = '[]' OR EXISTS (
            SELECT 1 FROM json_each(:tags) AS tag
            CROSS JOIN memory_tag
                ON memory_tag.shelf = memory.shelf AND memory_tag.tag = tag.value AND memory_tag.memory = memory.id
        ))
