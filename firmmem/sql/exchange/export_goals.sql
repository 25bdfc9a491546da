-- Every goal, or those of one namespace.
SELECT namespace, name, opened_at, closed_at FROM goal
WHERE :namespace = '' OR namespace = :namespace
ORDER BY namespace, name
