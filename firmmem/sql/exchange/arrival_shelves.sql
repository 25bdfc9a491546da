-- The shelves on which an import lies until its end.
SELECT * FROM shelf WHERE branch GLOB :branches ORDER BY id
