-- Add to the ledger that one memory is about to move to another tier or shelf.
INSERT INTO move (
    memory, at, run, cause, reason, from_tier, to_tier, from_shelf, to_shelf, was_at, was_cause, was_reason,
    was_superseded_by
)
SELECT
    id, :now, :run, :cause, :reason, tier, coalesce(:tier, tier), shelf, coalesce(:shelf, shelf),
    state_at, state_cause, state_reason, superseded_by
FROM memory WHERE id = :memory
