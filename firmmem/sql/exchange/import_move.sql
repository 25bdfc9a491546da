-- Add one move of an export to the ledger, unless it is there.
INSERT INTO move (
    memory, at, cause, reason, from_tier, to_tier, from_shelf, to_shelf, was_at, was_cause, was_reason
)
SELECT :memory, :at, :cause, :reason, :from_tier, :to_tier, :from_shelf, :to_shelf, :was_at, :was_cause, :was_reason
WHERE NOT EXISTS (
    SELECT 1 FROM move
    WHERE memory = :memory AND at = :at AND cause = :cause AND from_tier = :from_tier AND to_tier = :to_tier
        AND from_shelf = :from_shelf AND to_shelf = :to_shelf
)
