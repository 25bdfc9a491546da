-- Let a job go that did not come to its end.
UPDATE job SET run = NULL, holder = '', held_at = NULL WHERE name = :name AND run = :run
