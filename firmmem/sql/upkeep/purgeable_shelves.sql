-- The archives that hold something that was forgotten until :horizon.
SELECT shelf.id FROM shelf
WHERE shelf.state = 'archived' AND shelf.draft > 0 AND EXISTS (
    SELECT 1 FROM memory INDEXED BY memory_by_forgotten_at
    WHERE memory.shelf = shelf.id AND memory.state_cause = 'forgotten' AND memory.state_at <= :horizon
)
ORDER BY shelf.id
