-- The newest memories of main memory in one namespace.
SELECT memory.* FROM shelf
CROSS JOIN memory ON memory.shelf = shelf.id
WHERE shelf.namespace = :namespace AND shelf.state = 'active' AND shelf.branch = ''
ORDER BY memory.created_at DESC, memory.id DESC
LIMIT :most
