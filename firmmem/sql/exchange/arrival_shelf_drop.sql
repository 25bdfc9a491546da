-- Drop a shelf on which nothing lies, and that no move went to or from.
DELETE FROM shelf
WHERE id = :id
    AND NOT EXISTS (SELECT 1 FROM memory WHERE shelf = :id)
    AND id NOT IN (SELECT from_shelf FROM move)
    AND id NOT IN (SELECT to_shelf FROM move)
