-- The newest :most memories on :shelves with their words, for a search without the index.
SELECT memory.id, memory.words, memory.length
FROM json_each(:shelves) AS place
CROSS JOIN memory ON memory.search_id BETWEEN place.value << 40 AND (place.value << 40 | 0xFFFFFFFFFF)
ORDER BY memory.search_id DESC
LIMIT :most
