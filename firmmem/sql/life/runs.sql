-- The latest runs that changed something or failed, newest first.
SELECT * FROM run ORDER BY id DESC LIMIT :most
