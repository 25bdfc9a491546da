-- The newest strategic memories of one goal on one shelf, without those of the ids :known.
SELECT memory.id, memory.tier, memory.subject, memory.created_at, memory.summary
FROM memory INDEXED BY memory_by_goal_created_at
WHERE memory.shelf = :shelf AND memory.goal = :goal AND memory.goal <> 0 AND memory.tier = 'strategic'
    AND memory.id NOT IN (SELECT value FROM json_each(:known))
ORDER BY memory.created_at DESC
LIMIT :most + 0
