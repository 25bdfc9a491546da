-- Every active draft of a namespace with all that its fading follows from, and until when a move keeps it.
SELECT
    memory.*,
    shelf.branch,
    (SELECT max(move.at) + :kept FROM move WHERE move.memory = memory.id) AS kept_until
FROM shelf
CROSS JOIN memory INDEXED BY memory_by_fades_at ON memory.shelf = shelf.id AND memory.tier = 'draft'
WHERE shelf.namespace = :namespace AND shelf.state = 'active'
ORDER BY memory.id
