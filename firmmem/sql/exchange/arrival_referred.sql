-- Whether any move went to or from a shelf.
SELECT EXISTS (SELECT 1 FROM move WHERE from_shelf = :shelf OR to_shelf = :shelf) AS referred
