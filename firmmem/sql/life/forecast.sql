-- Which drafts of a namespace will have faded by :until, first faded first, and until when a move keeps them.
SELECT
    memory.id,
    memory.summary,
    memory.trust,
    memory.recall_count,
    memory.fades_at,
    shelf.branch,
    (SELECT max(move.at) + :kept FROM move WHERE move.memory = memory.id) AS kept_until
FROM shelf
CROSS JOIN memory INDEXED BY memory_by_fades_at
    ON memory.shelf = shelf.id AND memory.tier = 'draft' AND memory.fades_at <= :until
WHERE shelf.namespace = :namespace AND shelf.state = 'active'
ORDER BY memory.fades_at, memory.id
