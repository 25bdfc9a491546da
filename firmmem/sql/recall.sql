-- Rank candidates by FinalScore at :now. Every factor of the score is a column of its own. MATERIALIZED, because
-- SQLite would otherwise call the functions again wherever their value is used. LIMIT says + 0, here and in every
-- statement on a reply's path, because of a bare parameter there SQLite prepares the statement anew at each call.
WITH candidate (id, relevance, matches, best, words_relevance, meaning) AS MATERIALIZED (
/* candidate */
),
factor AS MATERIALIZED (
    SELECT
        memory.id,
        memory.tier,
        memory.strength,
        memory.importance,
        memory.trust,
        memory.rank_key,
        candidate.relevance,
        candidate.matches,
        candidate.best,
        candidate.words_relevance,
        candidate.meaning,
        CASE tier WHEN 'core' THEN 1.0 ELSE
            decay((:now - memory.reviewed_at) / 86400.0, effective_half_life(tier, consolidation, recall_count))
        END AS decay,
        CASE tier WHEN 'core' THEN 1.0 ELSE alignment(memory.goal, :goal, :other_goal) END AS alignment
    FROM candidate
    CROSS JOIN memory ON memory.id IN (candidate.id)
),
scored AS MATERIALIZED (
    SELECT *, CASE tier WHEN 'core' THEN 1.0 ELSE rfm(decay, strength, importance) END AS rfm FROM factor
),
ranked AS MATERIALIZED (
    SELECT
        *,
        CASE tier WHEN 'core' THEN relevance ELSE
            final_score(rfm, trust, alignment, relevance, :prior_strength)
        END AS score
    FROM scored
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
    memory.trust,
    ranked.alignment,
    ranked.relevance,
    ranked.score,
    ranked.words_relevance,
    ranked.meaning,
    coalesce(memory.superseded_by, 0) AS superseded_by,
    ranked.matches,
    ranked.best
FROM ranked
CROSS JOIN memory ON memory.id IN (ranked.id)
CROSS JOIN shelf ON shelf.id = memory.shelf
LEFT JOIN goal ON goal.id = memory.goal
ORDER BY ranked.score DESC, ranked.rank_key DESC, ranked.id
