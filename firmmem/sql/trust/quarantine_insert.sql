-- Note why a memory is set aside.
INSERT INTO quarantine (memory, run, at, metric, value, centre, spread, n, reason)
VALUES (:memory, :run, :now, :metric, :value, :centre, :spread, :n, :reason)
