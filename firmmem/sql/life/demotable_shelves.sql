-- The shelves in use on which validated memories have lost their trust.
SELECT shelf.id FROM shelf
WHERE shelf.state = 'active' AND shelf.validated > 0 AND EXISTS (
    SELECT 1 FROM memory INDEXED BY memory_by_demotion
    WHERE memory.shelf = shelf.id AND memory.tier = 'validated' AND memory.trust < :demote_trust
)
ORDER BY shelf.id
