-- Conflicts noted before statements were compared by how they are built: records of a series were taken for some.

DELETE FROM conflict WHERE NOT EXISTS (
    SELECT 1 FROM memory AS older
    JOIN memory AS newer ON newer.id = max(conflict.memory, conflict.other)
    WHERE older.id = min(conflict.memory, conflict.other) AND contradicts(older.summary, newer.summary)
);
