-- Drop the contradictions of one memory that came with an import.
DELETE FROM conflict WHERE memory = :id AND other NOT IN (SELECT value FROM json_each(:kept))
