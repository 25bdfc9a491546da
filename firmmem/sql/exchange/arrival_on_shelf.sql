-- The next memories on one shelf.
SELECT id, tier FROM memory WHERE shelf = :shelf ORDER BY rank_key LIMIT :most + 0
