-- One goal, if it was ever named.
SELECT * FROM goal WHERE namespace = :namespace AND name = :name
