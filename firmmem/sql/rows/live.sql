-- Write what changed in one memory's life, and the keys that follow from it.
UPDATE memory SET
    tier = :tier,
    importance = :importance,
    trust = :trust,
    consolidation = :consolidation,
    recall_count = :recall_count,
    strength = :strength,
    reviewed_at = :reviewed_at,
    half_life = :half_life,
    stream = :stream,
    rank_key = :rank_key,
    fades_at = :fades_at
WHERE id = :id
