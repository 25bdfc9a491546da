-- What was written last on one shelf, from :since until :until, newest first, :most at most, and in which session.
SELECT memory.id, memory.tier, memory.created_at, memory.source, memory.session, session.client
FROM memory INDEXED BY memory_by_created_at
LEFT JOIN session ON session.id = memory.session
WHERE memory.shelf = :shelf AND memory.created_at >= :since AND memory.created_at < :until
ORDER BY memory.created_at DESC, memory.id DESC
LIMIT :most + 0
