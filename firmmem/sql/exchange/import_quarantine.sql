-- Add why one memory of an export was set aside, unless it is there.
INSERT INTO quarantine (memory, run, at, metric, value, centre, spread, n, reason)
SELECT :memory, 0, :at, :metric, :value, :centre, :spread, :n, :reason
WHERE NOT EXISTS (SELECT 1 FROM quarantine WHERE memory = :memory AND at = :at AND metric = :metric)
