-- Store one tombstone of an export under an id that is free; its identity is chance.
INSERT INTO memory (
    id, shelf, tier, summary, identity, source, importance, initial_trust, trust, consolidation, recall_count, strength,
    created_at, reviewed_at, state_at, state_cause, superseded_by, half_life, stream, rank_key, fades_at, search_id,
    words, length, session
)
VALUES (
    :id, :shelf, :tier, '(erased)', randomblob(16), :source, :importance, :initial_trust, :trust, :consolidation,
    :recall_count, :strength, :created_at, :reviewed_at, :state_at, 'erased', :superseded_by, :half_life, :stream,
    :rank_key, NULL, :shelf << 40 | :id, '', 0,
    (SELECT id FROM session WHERE namespace = :namespace AND client = :source AND key = :session)
)
