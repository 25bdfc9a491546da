-- Rank candidates by FinalScore = RFM × Trust × StrategyAlign × SemanticSim at :now, each factor a column of its own.
-- MATERIALIZED, because SQLite would otherwise call the functions again wherever their value is used. LIMIT says + 0,
-- here and in every statement on a reply's path: with a bare parameter there SQLite would prepare the statement again
-- at each call.
WITH candidate (id, relevance, words_relevance, meaning) AS MATERIALIZED (
/* candidate */
),
aged AS MATERIALIZED (
    SELECT
        candidate.*,
        CASE tier WHEN 'core' THEN 1.0 ELSE
            decay((:now - reviewed_at) / 86400.0, effective_half_life(tier, consolidation, recall_count))
        END AS decay
    FROM candidate
    CROSS JOIN memory ON memory.id IN (candidate.id)
),
factor AS MATERIALIZED (
    SELECT
        aged.*,
        memory.rank_key,
        memory.trust,
        CASE tier WHEN 'core' THEN 1.0 ELSE rfm(decay, strength, importance) END AS rfm,
        CASE tier WHEN 'core' THEN 1.0 ELSE alignment(goal, :goal, :other_goal) END AS alignment
    FROM aged
    CROSS JOIN memory ON memory.id IN (aged.id)
),
ranked AS MATERIALIZED (
    SELECT factor.*, final_score(rfm, trust, alignment, relevance, :prior_strength) AS score
    FROM factor
    ORDER BY score DESC, rank_key DESC, id
    LIMIT :limit + 0
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
    ranked.decay,
    ranked.rfm,
    ranked.trust,
    ranked.alignment,
    ranked.relevance,
    ranked.score,
    ranked.words_relevance,
    ranked.meaning,
    coalesce(memory.superseded_by, 0) AS superseded_by
FROM ranked
CROSS JOIN memory ON memory.id IN (ranked.id)
CROSS JOIN shelf ON shelf.id = memory.shelf
LEFT JOIN goal ON goal.id = memory.goal
ORDER BY ranked.score DESC, ranked.rank_key DESC, ranked.id
