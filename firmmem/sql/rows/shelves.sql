-- The shelves of one namespace in these states and branches.
SELECT * FROM shelf
WHERE namespace = :namespace
    AND state IN (SELECT value FROM json_each(:states))
    AND branch IN (SELECT value FROM json_each(:branches))
ORDER BY id
