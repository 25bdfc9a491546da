-- What on :shelves was written from :since until :until, by the index of dates.
    SELECT memory.id, 1.0, 1.0, NULL
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_created_at
        ON memory.shelf = place.value AND memory.created_at >= :since AND memory.created_at < :until
    WHERE memory.tier IN (SELECT value FROM json_each(:tiers))
        AND /* include tagged */
