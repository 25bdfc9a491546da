-- Drop the reviews of one memory that came with an import.
DELETE FROM review
WHERE memory = :id AND decay || ' ' || consolidation NOT IN (SELECT value FROM json_each(:kept))
