-- Delete one session, unless a memory has come to name it.
DELETE FROM session WHERE id = :id AND NOT EXISTS (
    SELECT 1 FROM memory WHERE memory.session = session.id AND memory.session IS NOT NULL
)
