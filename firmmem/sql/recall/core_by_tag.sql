-- The core facts on :shelves with one of :tags, oldest first, among the first :most memories with such a tag.
SELECT DISTINCT memory.id
FROM (
    SELECT memory_tag.memory
    FROM json_each(:shelves) AS place
    CROSS JOIN json_each(:tags) AS tag
    CROSS JOIN memory_tag ON memory_tag.shelf = place.value AND memory_tag.tag = tag.value
    LIMIT :most + 0
) AS tagged
CROSS JOIN memory ON memory.id IN (tagged.memory)
WHERE memory.tier = 'core'
ORDER BY memory.id
