-- What is left here of a memory that an export brings: of its moment, and of its id or alone at that moment.
SELECT memory.id FROM shelf
CROSS JOIN memory INDEXED BY memory_by_created_at ON memory.shelf = shelf.id AND memory.created_at = :created_at
CROSS JOIN erasure ON erasure.memory = memory.id
WHERE shelf.namespace = :namespace AND shelf.state = 'erased' AND (:id IN (memory.id, erasure.origin) OR erasure.alone)
ORDER BY memory.id <> :id, memory.id
LIMIT 1
