-- The shelves in use, of all namespaces, on which drafts have faded by :horizon.
SELECT shelf.id, shelf.namespace, shelf.branch FROM shelf
WHERE shelf.state = 'active' AND shelf.draft > 0 AND EXISTS (
    SELECT 1 FROM memory INDEXED BY memory_by_fades_at
    WHERE memory.shelf = shelf.id AND memory.tier = 'draft' AND memory.fades_at <= :horizon
)
ORDER BY shelf.id
