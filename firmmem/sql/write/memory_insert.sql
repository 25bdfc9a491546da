-- Store one memory under the id that `memory_next_id` gave in the same transaction.
INSERT INTO memory (
    shelf, tier, goal, subject, subject_key, summary, tags, identity, source, suspect, importance, initial_trust,
    trust, created_at, reviewed_at, state_at, supersedes, strength, half_life, stream, rank_key, fades_at,
    search_id, words, repeated, length, session, id
)
VALUES (
    :shelf, :tier, :goal, :subject, subject_key(:subject), :summary, :tags, :identity, :source, :suspect, :importance,
    :trust, :trust, :now, :now, :now, :supersedes, :strength, :half_life, :stream, :rank_key, :fades_at,
    :shelf << 40 | :id, :words, :repeated, :length, :session, :id
)
