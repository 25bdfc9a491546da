-- Which of some memories one run moved to a shelf.
SELECT DISTINCT memory FROM move INDEXED BY move_by_memory
WHERE memory IN (SELECT value FROM json_each(:ids)) AND run = :run AND to_shelf = :shelf AND from_shelf <> :shelf
