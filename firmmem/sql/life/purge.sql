-- Delete one draft that is still forgotten since :horizon, with all that belongs to it, unless a history leads to it.
DELETE FROM memory
WHERE id = :id AND tier = 'draft' AND state_cause = 'forgotten' AND state_at <= :horizon
    AND EXISTS (SELECT 1 FROM shelf WHERE shelf.id = memory.shelf AND shelf.state = 'archived')
    AND NOT EXISTS (SELECT 1 FROM memory AS older WHERE older.superseded_by = memory.id)
