-- How many memories on :shelves were written from :since until :until, counted no further than just over :most.
SELECT count(*) AS count FROM (
    SELECT 1
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_created_at
        ON memory.shelf = place.value AND memory.created_at >= :since AND memory.created_at < :until
    LIMIT :most + 1
)
