-- Main memory of the namespaces in which reviewed drafts are trusted enough to be validated.
SELECT shelf.id FROM shelf
WHERE shelf.state = 'active' AND shelf.branch = '' AND shelf.draft > 0 AND EXISTS (
    SELECT 1 FROM memory INDEXED BY memory_by_promotion
    WHERE memory.shelf = shelf.id AND memory.tier = 'draft' AND memory.recall_count > 0
        AND memory.trust >= :promote_trust
)
ORDER BY shelf.id
