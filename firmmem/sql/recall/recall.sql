-- Rank candidates by FinalScore at :now. One function computes it, and its factors are worked out only for what is
-- told. MATERIALIZED, because SQLite would otherwise call the functions again wherever their value is used. LIMIT says
-- + 0, here and in every statement on a reply's path, because of a bare parameter there SQLite prepares the statement
-- anew at each call.
WITH candidate (id, relevance, words_relevance, meaning) AS MATERIALIZED (
/* candidate */
),
ranked AS MATERIALIZED (
    SELECT
        candidate.*,
        memory.rank_key,
        score(
            tier, (:now - reviewed_at) / 86400.0, consolidation, recall_count, strength, importance, trust,
            goal, :goal, :other_goal, relevance, :prior_strength
        ) AS score
    FROM candidate
    CROSS JOIN memory ON memory.id IN (candidate.id)
    ORDER BY score DESC, rank_key DESC, candidate.id
    LIMIT :limit + 0
),
told AS MATERIALIZED (
    SELECT
        ranked.*,
        CASE tier WHEN 'core' THEN 1.0 ELSE
            decay((:now - memory.reviewed_at) / 86400.0, effective_half_life(tier, consolidation, recall_count))
        END AS decay,
        CASE tier WHEN 'core' THEN 1.0 ELSE alignment(memory.goal, :goal, :other_goal) END AS alignment
    FROM ranked
    CROSS JOIN memory ON memory.id IN (ranked.id)
)
SELECT
    memory.id,
    memory.tier,
    shelf.state,
    shelf.branch,
    coalesce(goal.name, '') AS goal,
    memory.subject,
    memory.summary,
    memory.tags,
    memory.source,
    memory.suspect,
    memory.created_at,
    memory.reviewed_at,
    memory.recall_count,
    memory.consolidation,
    memory.importance,
    memory.strength,
    memory.half_life,
    told.decay,
    CASE tier WHEN 'core' THEN 1.0 ELSE rfm(told.decay, memory.strength, memory.importance) END AS rfm,
    memory.trust,
    told.alignment,
    told.relevance,
    told.score,
    told.words_relevance,
    told.meaning,
    coalesce(memory.superseded_by, 0) AS superseded_by
FROM told
CROSS JOIN memory ON memory.id IN (told.id)
CROSS JOIN shelf ON shelf.id = memory.shelf
LEFT JOIN goal ON goal.id = memory.goal
ORDER BY told.score DESC, told.rank_key DESC, told.id
