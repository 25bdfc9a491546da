-- The number that the next session gets.
SELECT coalesce(max(id), 0) + 1 AS id FROM session
