-- The names of some goals.
SELECT id, name FROM goal WHERE id IN (SELECT value FROM json_each(:ids))
