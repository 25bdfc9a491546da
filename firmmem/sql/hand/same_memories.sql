-- The memories of a copy that are those with these ids, dates and identities; each of :wanted is [id, written, hex].
SELECT memory.id FROM memory
WHERE EXISTS (
    SELECT 1 FROM json_each(:wanted) AS wanted
    WHERE hex(memory.identity) = json_extract(wanted.value, '$[2]')
        OR (
            memory.id = json_extract(wanted.value, '$[0]')
            AND memory.created_at = json_extract(wanted.value, '$[1]')
        )
)
    AND NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.memory = memory.id)
ORDER BY memory.id
