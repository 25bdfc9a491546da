-- The next memories on one shelf that have a tag, newest first.
SELECT memory.id
FROM memory_tag AS found
CROSS JOIN memory ON memory.id = found.memory
WHERE found.shelf = :shelf AND found.tag = :tag AND found.memory < :below
    AND /* include list_filters */
ORDER BY found.memory DESC
LIMIT :most + 0
