-- What matches the query's words, with BM25 in its context as relevance. With s = :prior_strength a score lies
-- between relevance × (1 − s + s × trust) × (1 − s) × :least_alignment and relevance × (1 − s + s × trust) ×
-- (1 − s + s × worth), since RFM is at most the worth. What can't reach the :limit-th of the former is not scored.
    WITH
/* include matched_by_words */,
    ranged AS MATERIALIZED (
        SELECT
            relevant.id,
            relevance,
            share,
            relevance * (1.0 - :prior_strength + :prior_strength * memory.trust) AS trusted,
            1.0 - :prior_strength + :prior_strength * max(memory.importance, 0.01) AS most
        FROM relevant
        CROSS JOIN memory ON memory.id IN (relevant.id)
    )
    SELECT
        id,
        relevance,
        (SELECT count(*) FROM matched),
        (SELECT max(bm25 - unasked) FROM matched),
        share,
        NULL
    FROM ranged
    WHERE trusted * most >= 0.999999999 * :least_alignment * (1.0 - :prior_strength) * coalesce(
        (SELECT trusted FROM ranged ORDER BY trusted DESC LIMIT 1 OFFSET :limit - 1), 0.0
    )
