-- The next core facts on one shelf, newest first.
SELECT memory.id FROM memory INDEXED BY memory_by_stream
WHERE memory.shelf = :shelf AND memory.stream = 999 AND memory.id < :below
    AND /* include list_filters */
ORDER BY memory.id DESC
LIMIT :most + 0
