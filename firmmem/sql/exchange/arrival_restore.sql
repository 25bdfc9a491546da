-- Put one memory back as it was before an import merged another into it.
UPDATE memory SET
    shelf = :shelf, search_id = :shelf << 40 | id, tier = :tier, goal = :goal, subject = :subject,
    subject_key = subject_key(:subject), tags = :tags,
    importance = :importance, initial_trust = :initial_trust, trust = :trust, consolidation = :consolidation,
    recall_count = :recall_count, strength = :strength, reviewed_at = :reviewed_at, state_at = :state_at,
    state_cause = :state_cause, state_reason = :state_reason, superseded_by = :superseded_by,
    supersedes = :supersedes, suspect = :suspect, words = :words, repeated = :repeated, length = :length,
    half_life = :half_life, stream = :stream, rank_key = :rank_key, fades_at = :fades_at
WHERE id = :id
