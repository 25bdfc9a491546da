-- The next drafts on one shelf that have faded by :horizon, first faded first, after (:after, :after_id); those moved,
-- or written again, since :kept_since are kept.
SELECT
    memory.id,
    memory.identity,
    memory.summary,
    memory.fades_at,
    EXISTS (SELECT 1 FROM move WHERE move.memory = memory.id AND move.at > :kept_since) AS kept
FROM memory INDEXED BY memory_by_fades_at
WHERE memory.shelf = :shelf AND memory.tier = 'draft' AND memory.fades_at <= :horizon
    AND (memory.fades_at, memory.id) > (:after, :after_id)
ORDER BY memory.fades_at, memory.id
LIMIT :chunk + 0
