-- The core facts on :shelves, :most at most.
SELECT memory.id
FROM json_each(:shelves) AS place
CROSS JOIN memory INDEXED BY memory_by_stream ON memory.shelf IN (place.value) AND memory.stream = 999
LIMIT :most + 0
