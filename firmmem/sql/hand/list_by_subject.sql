-- The next memories on one shelf about a subject, newest first.
SELECT memory.id FROM memory INDEXED BY memory_by_subject
WHERE memory.shelf = :shelf AND memory.subject_key = subject_key(:subject) AND memory.subject_key <> ''
    AND memory.id < :below
    AND /* include list_filters */
ORDER BY memory.id DESC
LIMIT :most + 0
