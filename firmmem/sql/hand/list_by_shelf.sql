-- The next memories on one shelf, newest first; the index of rows holds the tier and the date too.
SELECT memory.id FROM memory INDEXED BY memory_by_search_id
WHERE memory.search_id BETWEEN :lowest AND :highest AND /* include list_filters */
ORDER BY memory.search_id DESC
LIMIT :most + 0
