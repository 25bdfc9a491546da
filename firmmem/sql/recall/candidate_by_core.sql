-- The first core facts on :shelves: all of them score 1, so the oldest come first.
    SELECT memory.id, 1.0, 1.0, NULL
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_stream ON memory.shelf IN (place.value) AND memory.stream = 999
    LIMIT :limit + 0
