-- The newest strategic memories in use of a namespace's open goals: :newest of each, of the :goals opened last.
SELECT memory.id, memory.goal, memory.created_at
FROM (
    SELECT id FROM goal INDEXED BY goal_by_opened_at
    WHERE namespace = :namespace AND opened_at IS NOT NULL AND closed_at IS NULL
    ORDER BY opened_at DESC LIMIT :goals + 0
) AS open
CROSS JOIN json_each(:shelves) AS place
CROSS JOIN memory ON memory.id IN (
    SELECT newest.id FROM memory AS newest INDEXED BY memory_by_goal_created_at
    WHERE newest.shelf = place.value AND newest.goal = open.id AND newest.goal <> 0 AND newest.tier = 'strategic'
    ORDER BY newest.created_at DESC, newest.id DESC LIMIT :newest + 0
)
ORDER BY memory.created_at DESC, memory.id DESC
