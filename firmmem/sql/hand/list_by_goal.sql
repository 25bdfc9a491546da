-- The next memories on one shelf that serve a goal, newest first.
SELECT memory.id FROM memory INDEXED BY memory_by_goal_stream
WHERE memory.shelf = :shelf AND memory.goal = :goal AND memory.goal <> 0 AND memory.id < :below
    AND /* include list_filters */
ORDER BY memory.id DESC
LIMIT :most + 0
