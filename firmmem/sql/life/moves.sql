-- One memory's moves, oldest first.
SELECT move.*, was.state AS from_state, was.branch AS from_branch, is_now.state AS to_state, is_now.branch AS to_branch
FROM move
CROSS JOIN shelf AS was ON was.id = move.from_shelf
CROSS JOIN shelf AS is_now ON is_now.id = move.to_shelf
WHERE move.memory = :memory
ORDER BY move.id
