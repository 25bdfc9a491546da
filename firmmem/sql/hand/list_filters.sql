-- What every list asks of a memory besides the way that leads to it.
memory.tier IN (SELECT value FROM json_each(:tiers))
    AND memory.created_at >= :since AND memory.created_at < :until
    AND (:goal = 0 OR memory.goal = :goal)
    AND (:subject = '' OR memory.subject_key = subject_key(:subject))
    AND (:client = '' OR memory.source = :client)
    AND NOT EXISTS (
        SELECT 1 FROM json_each(:tags) AS tagged
        WHERE NOT EXISTS (
            SELECT 1 FROM memory_tag
            WHERE memory_tag.shelf = memory.shelf AND memory_tag.tag = tagged.value AND memory_tag.memory = memory.id
        )
    )
