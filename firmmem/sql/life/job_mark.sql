-- Note from when on a job may do what was due at a moment after a gap; NULL: nothing waits.
UPDATE job SET marked_at = :marked_at WHERE name = :name
