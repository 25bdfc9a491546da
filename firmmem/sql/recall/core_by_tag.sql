-- The core facts on :shelves with one of :tags, oldest first, among the :most that come first.
SELECT id FROM (
    SELECT memory.id, memory.tags
    FROM json_each(:shelves) AS place
    CROSS JOIN memory INDEXED BY memory_by_stream ON memory.shelf IN (place.value) AND memory.stream = 999
    LIMIT :most + 0
)
WHERE tags <> '[]' AND EXISTS (
    SELECT 1 FROM json_each(tags) AS tag WHERE tag.value IN (SELECT value FROM json_each(:tags))
)
ORDER BY id
