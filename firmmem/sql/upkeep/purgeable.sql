-- The next forgotten drafts of one shelf that were put away until :horizon, first forgotten first, after (:after,
-- :after_id), each with whether a history leads to it.
SELECT
    memory.id,
    memory.state_at,
    EXISTS (SELECT 1 FROM memory AS older WHERE older.superseded_by = memory.id) AS followed
FROM memory INDEXED BY memory_by_forgotten_at
WHERE memory.shelf = :shelf AND memory.state_cause = 'forgotten' AND memory.state_at <= :horizon
    AND memory.tier = 'draft' AND (memory.state_at, memory.id) > (:after, :after_id)
ORDER BY memory.state_at, memory.id
LIMIT :chunk + 0
