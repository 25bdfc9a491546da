-- Forgotten drafts, first forgotten first, that were put away until :horizon and that no history leads to.
SELECT memory.id FROM shelf
CROSS JOIN memory INDEXED BY memory_by_forgotten_at
    ON memory.shelf = shelf.id AND memory.state_cause = 'forgotten' AND memory.state_at <= :horizon
WHERE shelf.state = 'archived' AND shelf.draft > 0 AND memory.tier = 'draft'
    AND NOT EXISTS (SELECT 1 FROM memory AS older WHERE older.superseded_by = memory.id)
LIMIT :chunk
