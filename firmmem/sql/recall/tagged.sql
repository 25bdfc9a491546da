-- Whether `memory` has one of :tags, or none is asked for.
(:tags = '[]' OR EXISTS (
    SELECT 1 FROM json_each(:tags) AS tag
    CROSS JOIN memory_tag
        ON memory_tag.shelf = memory.shelf AND memory_tag.tag = tag.value AND memory_tag.memory = memory.id
))
