-- Why one memory was set aside, and whether it was let back.
SELECT at, metric, value, centre, spread, n, reason, released_at, release_reason
FROM quarantine WHERE memory = :memory ORDER BY id
