-- Everything on :shelves that the filters let through: exact by definition, and as slow as the store is large.
    SELECT memory.id, 1.0, 1.0, NULL
    FROM memory
    WHERE memory.shelf IN (SELECT value FROM json_each(:shelves))
        AND memory.tier IN (SELECT value FROM json_each(:tiers))
        AND memory.created_at >= :since AND memory.created_at < :until
        AND /* include tagged */
