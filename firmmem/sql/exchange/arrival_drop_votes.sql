-- Drop the votes of one memory that came with an import.
DELETE FROM vote WHERE memory = :id AND id NOT IN (SELECT value FROM json_each(:kept))
