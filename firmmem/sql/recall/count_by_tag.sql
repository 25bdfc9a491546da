-- How many memories on :shelves have one of :tags, counted no further than just over :most.
SELECT count(*) AS count FROM (
    SELECT 1
    FROM json_each(:shelves) AS place
    CROSS JOIN json_each(:tags) AS tag
    CROSS JOIN memory_tag ON memory_tag.shelf = place.value AND memory_tag.tag = tag.value
    LIMIT :most + 1
)
