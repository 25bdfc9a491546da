-- The moves of one run before :before, last first, each with whether it is its memory's last one and what is in the
-- way of taking it back. A tier that an edit changed comes back with the edit.
SELECT
    move.*,
    memory.summary,
    memory.subject,
    memory.tier,
    memory.identity,
    NOT EXISTS (
        SELECT 1 FROM move AS later
        WHERE later.memory = move.memory AND later.id > move.id AND later.run IS NOT move.run
    ) AS is_last,
    memory.shelf = move.to_shelf AND memory.tier = move.to_tier AS stands
FROM move INDEXED BY move_by_run
CROSS JOIN memory ON memory.id = move.memory
WHERE move.run = :run AND move.id < :before AND move.cause <> 'undone'
    AND NOT (
        move.from_shelf = move.to_shelf AND EXISTS (
            SELECT 1 FROM change WHERE change.memory = move.memory AND change.run = move.run AND change.kind = 'edited'
        )
    )
ORDER BY move.id DESC
LIMIT :chunk
