-- Hold a job for one run.
INSERT INTO job (name, run, holder, held_at) VALUES (:name, :run, :holder, :now)
ON CONFLICT (name) DO UPDATE SET run = excluded.run, holder = excluded.holder, held_at = excluded.held_at
