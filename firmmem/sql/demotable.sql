-- Validated memories that have lost their trust, but for those of which a person undid it.
SELECT memory.* FROM shelf
CROSS JOIN memory INDEXED BY memory_by_demotion
    ON memory.shelf = shelf.id AND memory.tier = 'validated' AND memory.trust < :trust
WHERE shelf.state = 'active' AND shelf.validated > 0
    AND NOT EXISTS (
        SELECT 1 FROM move WHERE move.memory = memory.id AND move.at > :undone_since AND move.cause = 'undone'
    )
LIMIT :chunk
