-- The core facts on one shelf, oldest first.
SELECT * FROM memory WHERE shelf = :shelf AND stream = 999 AND tier = 'core' ORDER BY id
