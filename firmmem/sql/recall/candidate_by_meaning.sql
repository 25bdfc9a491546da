-- What the query is near to, by words, by meaning or both. Each of :candidates is [id, relevance of words,
-- meaning or null, whether it is in another language]; as in candidate_by_words.sql only what may rank is scored.
    WITH near AS MATERIALIZED (
        SELECT
            memory.id,
            json_extract(candidate.value, '$[1]') AS words,
            json_extract(candidate.value, '$[2]') AS meaning,
            fused(
                json_extract(candidate.value, '$[1]'),
                json_extract(candidate.value, '$[2]'),
                json_extract(candidate.value, '$[3]')
            ) AS relevance
        FROM json_each(:candidates) AS candidate
        CROSS JOIN memory ON memory.id = json_extract(candidate.value, '$[0]')
        WHERE memory.shelf IN (SELECT value FROM json_each(:shelves))
            AND memory.tier IN (SELECT value FROM json_each(:tiers))
            AND memory.created_at >= :since AND memory.created_at < :until
            AND /* include tagged */
    )
    SELECT id, relevance, words, meaning
    FROM near
    WHERE relevance
        >= :bound * coalesce((SELECT relevance FROM near ORDER BY relevance DESC LIMIT 1 OFFSET :limit - 1), 0.0)
