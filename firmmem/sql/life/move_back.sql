-- Put one memory back on the shelf it came from, as it said of it then.
UPDATE memory SET
    shelf = :shelf,
    search_id = :shelf << 40 | id,
    identity = :identity,
    superseded_by = :superseded_by,
    state_at = :was_at,
    state_cause = :was_cause,
    state_reason = :was_reason
WHERE id = :id
