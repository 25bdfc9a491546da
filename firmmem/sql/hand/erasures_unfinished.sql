-- Which memories were erased whose bytes may still be in the file.
SELECT memory FROM erasure WHERE finished_at IS NULL ORDER BY memory
