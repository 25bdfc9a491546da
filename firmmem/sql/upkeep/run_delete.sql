-- Drop one run.
DELETE FROM run WHERE id = :id
