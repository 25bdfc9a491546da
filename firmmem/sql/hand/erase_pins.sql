-- Drop the pins that expect one memory: their questions may say what it said.
DELETE FROM pin WHERE expected = :id
