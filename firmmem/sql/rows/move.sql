-- Put one memory on another shelf, and say why; the search index follows by trigger.
UPDATE memory SET
    shelf = :shelf,
    search_id = :shelf << 40 | id,
    identity = :identity,
    superseded_by = :superseded_by,
    state_at = :now,
    state_cause = :cause,
    state_reason = :reason
WHERE id = :id
