-- Of :rows of the search index those that the filters let pass, their lengths in words, and when they were written in
-- milliseconds. All is read from an index, and comes as three texts: see matching.sql.
SELECT
    json_group_array(memory.search_id) AS found,
    json_group_array(memory.length) AS lengths,
    json_group_array(CAST(memory.created_at * 1000 AS INTEGER)) AS written
FROM json_each(:rows) AS met
CROSS JOIN memory ON memory.search_id = met.value
WHERE NOT :narrowed OR (
    memory.tier IN (SELECT value FROM json_each(:tiers))
    AND memory.created_at >= :since AND memory.created_at < :until
    AND (:tags = '[]' OR EXISTS (
        SELECT 1 FROM json_each(:tags) AS tag
        CROSS JOIN memory_tag
            ON memory_tag.shelf = memory.search_id >> 40
            AND memory_tag.tag = tag.value AND memory_tag.memory = memory.id
    ))
)
