-- The highest id of a memory, 0 without any.
SELECT coalesce(max(id), 0) AS id FROM memory
