-- Why one memory was set aside, each time.
SELECT at, metric, value, centre, spread, n, reason FROM quarantine WHERE memory = :memory ORDER BY id
