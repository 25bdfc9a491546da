-- Store one memory of an export under an id that is free.
INSERT INTO memory (
    id, shelf, tier, goal, subject, subject_key, summary, tags, identity, source, suspect, importance, initial_trust,
    trust, consolidation, recall_count, strength, created_at, reviewed_at, state_at, state_cause, state_reason,
    superseded_by, supersedes, half_life, stream, rank_key, fades_at, search_id, words, repeated, length, session
)
VALUES (
    :id, :shelf, :tier, :goal, :subject, subject_key(:subject), :summary, :tags, :identity, :source, :suspect,
    :importance, :initial_trust, :trust, :consolidation, :recall_count, :strength, :created_at, :reviewed_at,
    :state_at, :state_cause, :state_reason, :superseded_by, :supersedes, :half_life, :stream, :rank_key, :fades_at,
    :shelf << 40 | :id, :words, :repeated, :length,
    (SELECT id FROM session WHERE namespace = :namespace AND client = :source AND key = :session)
)
