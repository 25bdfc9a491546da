-- Let a job go, and note when it ran.
UPDATE job SET last_run = :began_at, run = NULL, holder = '', held_at = NULL, result = :result
WHERE name = :name AND run = :run
