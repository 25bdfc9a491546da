-- Note that one memory was erased, and that its bytes are still to be taken out of the file.
INSERT INTO erasure (memory, run, at, origin, alone)
SELECT
    memory.id, :run, :now, memory.id,
    NOT EXISTS (
        SELECT 1 FROM shelf
        CROSS JOIN memory AS other INDEXED BY memory_by_created_at
            ON other.shelf = shelf.id AND other.created_at = memory.created_at
        WHERE shelf.namespace = (SELECT namespace FROM shelf AS own WHERE own.id = memory.shelf)
            AND other.id <> memory.id
            AND coalesce(other.superseded_by, other.id) <> coalesce(memory.superseded_by, memory.id)
    )
FROM memory WHERE memory.id = :id
