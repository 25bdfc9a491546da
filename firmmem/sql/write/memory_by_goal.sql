-- The memories of one goal in one state, in all branches; core facts serve no goal.
SELECT memory.*, shelf.state, shelf.branch FROM shelf
CROSS JOIN memory ON memory.shelf = shelf.id AND memory.goal = :goal AND memory.goal <> 0
WHERE shelf.namespace = :namespace AND shelf.state = :state AND memory.tier <> 'core'
ORDER BY memory.id
