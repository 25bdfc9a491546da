-- The next validated memories of one shelf that have lost their trust, least trusted first, after (:after, :after_id),
-- each with whether a person undid that it was demoted.
SELECT
    memory.id,
    memory.tier,
    memory.trust,
    memory.recall_count,
    EXISTS (
        SELECT 1 FROM move WHERE move.memory = memory.id AND move.at > :undone_since AND move.cause = 'undone'
    ) AS undone
FROM memory INDEXED BY memory_by_demotion
WHERE memory.shelf = :shelf AND memory.tier = 'validated' AND memory.trust < :demote_trust
    AND (memory.trust, memory.id) > (:after, :after_id)
ORDER BY memory.trust, memory.id
LIMIT :chunk + 0
