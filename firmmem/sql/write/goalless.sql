-- Strategic memories in use whose goal is closed, was never opened, or is not named.
SELECT memory.*, shelf.state, shelf.branch, coalesce(goal.name, '') AS goal_name, goal.closed_at
FROM shelf
CROSS JOIN memory INDEXED BY memory_by_stream ON memory.shelf = shelf.id AND memory.stream BETWEEN 1000 AND 1999
LEFT JOIN goal ON goal.id = memory.goal
WHERE shelf.namespace = :namespace AND shelf.state = 'active' AND memory.tier = 'strategic'
    AND (goal.opened_at IS NULL OR goal.closed_at IS NOT NULL)
ORDER BY memory.id
