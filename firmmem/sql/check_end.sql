-- End a check that a person asked for.
UPDATE run SET ended_at = :now, done = :done, result = :done || ' set aside' WHERE id = :id
