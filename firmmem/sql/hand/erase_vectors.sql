-- Drop the vectors of one memory.
DELETE FROM vector WHERE memory = :id
