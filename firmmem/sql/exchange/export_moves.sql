-- Every move of one memory between tiers and shelves, in the ledger's order.
SELECT
    move.at,
    move.cause,
    move.reason,
    move.from_tier,
    move.to_tier,
    origin.state AS from_state,
    origin.branch AS from_branch,
    target.state AS to_state,
    target.branch AS to_branch,
    move.was_at,
    move.was_cause,
    move.was_reason
FROM move
JOIN shelf AS origin ON origin.id = move.from_shelf
JOIN shelf AS target ON target.id = move.to_shelf
WHERE move.memory = :memory
ORDER BY move.id
