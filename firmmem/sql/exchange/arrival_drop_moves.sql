-- Drop the moves of one memory that came with an import.
DELETE FROM move WHERE memory = :id AND id NOT IN (SELECT value FROM json_each(:kept))
