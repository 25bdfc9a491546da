-- Note how far the new keys have come; NULL when all are there.
UPDATE keying SET pending_from = :pending_from WHERE id = 1
