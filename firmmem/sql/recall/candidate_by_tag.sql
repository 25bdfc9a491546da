-- What on :shelves has one of :tags, by the index of tags.
    SELECT DISTINCT memory.id, 1.0, 1.0, NULL
    FROM json_each(:shelves) AS place
    CROSS JOIN json_each(:tags) AS tag
    CROSS JOIN memory_tag ON memory_tag.shelf = place.value AND memory_tag.tag = tag.value
    CROSS JOIN memory ON memory.id IN (memory_tag.memory)
    WHERE memory.tier IN (SELECT value FROM json_each(:tiers))
        AND memory.created_at >= :since AND memory.created_at < :until
