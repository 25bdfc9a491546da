-- The id that the next memory gets: never one that was given before.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0) + 1 AS id
