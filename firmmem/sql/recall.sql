-- Rank candidates by FinalScore at :now. Every factor of the score is a column of its own.
WITH candidate (id, relevance, matches) AS (
/* candidate */
),
factor AS (
    SELECT
        memory.*,
        candidate.relevance,
        candidate.matches,
        decay((:now - memory.reviewed_at) / 86400.0, effective_half_life(tier, consolidation, recall_count)) AS decay,
        CASE tier WHEN 'core' THEN 1.0 ELSE alignment(memory.goal, :goal, :other_goal) END AS alignment
    FROM candidate
    CROSS JOIN memory ON memory.id = candidate.id
),
scored AS (
    SELECT *, CASE tier WHEN 'core' THEN 1.0 ELSE rfm(decay, strength, importance) END AS rfm FROM factor
)
SELECT
    scored.*,
    final_score(rfm, trust, alignment, relevance, :prior_strength) AS score,
    shelf.state,
    shelf.branch,
    coalesce(goal.name, '') AS goal_name
FROM scored
JOIN shelf ON shelf.id = scored.shelf
LEFT JOIN goal ON goal.id = scored.goal
ORDER BY score DESC, rank_key DESC, scored.id
LIMIT :limit
