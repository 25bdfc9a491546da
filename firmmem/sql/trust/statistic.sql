-- Sums over the memories in use with ids from just above :after to :last, by namespace and tier.
SELECT namespace, tier, count(*) AS memories, sum(trust) AS trust, sum(trust * trust) AS trust_squared,
    sum(rfm) AS rfm, sum(rfm * rfm) AS rfm_squared
FROM (
    SELECT
        shelf.namespace,
        memory.tier,
        memory.trust,
        rfm(
            decay(
                (:now - memory.reviewed_at) / 86400.0,
                effective_half_life(memory.tier, memory.consolidation, memory.recall_count)
            ),
            memory.strength,
            memory.importance
        ) AS rfm
    FROM memory
    CROSS JOIN shelf ON shelf.id = memory.shelf
    WHERE memory.id > :after AND memory.id <= :last AND memory.tier <> 'core'
        AND shelf.state = 'active' AND shelf.branch = ''
    LIMIT -1 OFFSET 0  -- keeps the functions from being called once for each sum
)
GROUP BY namespace, tier
