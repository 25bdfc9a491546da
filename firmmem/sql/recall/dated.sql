-- The rows of the search index written on :shelves from :since until :until, :most at most.
SELECT json_group_array(search_id) AS found FROM (
    SELECT memory.shelf << 40 | memory.id AS search_id
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_created_at
        ON memory.shelf = place.value AND memory.created_at >= :since AND memory.created_at < :until
    LIMIT :most + 0
)
