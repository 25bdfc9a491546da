-- What matches the query's words. Each of :candidates is [id, relevance in its context, relevance of its own words].
-- With s = :prior_strength a score lies between relevance × (1 − s + s × trust) × :least, which is left of it
-- whatever RFM and alignment are, and relevance × (1 − s + s × trust) × (1 − s + s × worth), since RFM is at most the
-- worth; of a core fact it is the relevance. What can't reach the :limit-th of the former is not scored.
    WITH
    given AS MATERIALIZED (
        SELECT
            json_extract(value, '$[0]') AS id,
            json_extract(value, '$[1]') AS relevance,
            json_extract(value, '$[2]') AS words
        FROM json_each(:candidates)
    ),
    ranged AS MATERIALIZED (
        SELECT
            given.*,
            relevance * bound_factor(memory.trust, :prior_strength) AS trusted,
            CASE tier WHEN 'core' THEN 1.0 ELSE
                bound_factor(worth(memory.importance), :prior_strength)
            END AS most
        FROM given
        CROSS JOIN memory ON memory.id = given.id
    )
    SELECT id, relevance, words, NULL
    FROM ranged
    WHERE trusted * most >= 0.999999999 * :least * coalesce(
        (SELECT trusted FROM ranged ORDER BY trusted DESC LIMIT 1 OFFSET :limit - 1), 0.0
    )
