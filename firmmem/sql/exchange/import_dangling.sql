-- A memory whose successor is not in the file, if there is one.
SELECT id FROM memory
WHERE superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT id FROM memory)
LIMIT 1
