-- Keep a memory as it is now, superseded by itself as it will be.
INSERT INTO memory (
    id, shelf, tier, goal, subject, summary, tags, identity, source, suspect, importance, initial_trust, trust,
    consolidation, recall_count, strength, created_at, reviewed_at, state_at, state_cause, superseded_by,
    half_life, stream, rank_key, search_id, words, repeated, length
)
SELECT
    :id, :shelf, tier, goal, '', summary, tags, identity, source, suspect, importance, initial_trust, trust,
    consolidation, recall_count, strength, created_at, reviewed_at, :now, 'person', :of,
    half_life, stream, rank_key, :shelf << 40 | :id, words, repeated, length
FROM memory WHERE id = :of
