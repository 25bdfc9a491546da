-- One job of the periodic work, if it was ever begun.
SELECT * FROM job WHERE name = :name
