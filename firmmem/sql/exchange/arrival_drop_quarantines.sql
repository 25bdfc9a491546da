-- Drop the reasons of quarantine of one memory that came with an import.
DELETE FROM quarantine WHERE memory = :id AND id NOT IN (SELECT value FROM json_each(:kept))
