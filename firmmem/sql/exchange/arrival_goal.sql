-- One goal, and whether any memory serves it.
SELECT
    *,
    EXISTS (
        SELECT 1 FROM shelf
        JOIN memory ON memory.shelf = shelf.id AND memory.goal = goal.id AND memory.goal <> 0
        WHERE shelf.namespace = goal.namespace
    ) AS served
FROM goal WHERE id = :id
