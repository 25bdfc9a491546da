-- Go on holding a job; no row where another run has taken it over.
UPDATE job SET held_at = :now WHERE name = :name AND run = :run
