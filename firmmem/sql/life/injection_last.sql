-- The injection that was noted last.
SELECT max(id) AS id FROM injection
