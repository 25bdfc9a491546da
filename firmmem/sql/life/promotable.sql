-- The next drafts of one shelf that are trusted enough and were reviewed, least trusted first, after (:after,
-- :after_id), each with whether a person undid its promotion.
SELECT
    memory.id,
    memory.tier,
    memory.trust,
    memory.recall_count,
    EXISTS (
        SELECT 1 FROM move WHERE move.memory = memory.id AND move.at > :undone_since AND move.cause = 'undone'
    ) AS undone
FROM memory INDEXED BY memory_by_promotion
WHERE memory.shelf = :shelf AND memory.tier = 'draft' AND memory.recall_count > 0
    AND memory.trust >= :promote_trust AND (memory.trust, memory.id) > (:after, :after_id)
ORDER BY memory.trust, memory.id
LIMIT :chunk + 0
