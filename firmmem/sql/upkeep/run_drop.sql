-- Forget a run that changed nothing.
DELETE FROM run WHERE id = :id AND done = 0 AND failed = 0
