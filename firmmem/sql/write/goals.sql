-- A namespace's goals, with how many memories serve each in use and in the archive.
SELECT
    goal.*,
    (
        SELECT count(*) FROM shelf
        CROSS JOIN memory ON memory.shelf = shelf.id AND memory.goal = goal.id AND memory.goal <> 0
        WHERE shelf.namespace = goal.namespace AND shelf.state = 'active'
    ) AS active,
    (
        SELECT count(*) FROM shelf
        CROSS JOIN memory ON memory.shelf = shelf.id AND memory.goal = goal.id AND memory.goal <> 0
        WHERE shelf.namespace = goal.namespace AND shelf.state = 'archived'
    ) AS archived
FROM goal
WHERE goal.namespace = :namespace
ORDER BY goal.closed_at IS NOT NULL, goal.name
