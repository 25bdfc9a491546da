-- The next memories of one shelf with the numbers that the anomaly check looks at.
SELECT
    search_id,
    id,
    tier,
    trust,
    rfm(
        decay((:now - reviewed_at) / 86400.0, effective_half_life(tier, consolidation, recall_count)),
        strength,
        importance
    ) AS rfm
FROM memory
WHERE search_id > :after AND search_id <= :highest AND tier <> 'core'
ORDER BY search_id
LIMIT :chunk
