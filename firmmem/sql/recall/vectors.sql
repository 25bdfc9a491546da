-- The vectors of one namespace that are new or have moved since :change.
SELECT vector.* FROM shelf
CROSS JOIN vector ON vector.encoder = :encoder AND vector.shelf = shelf.id AND vector.change > :change
WHERE shelf.namespace = :namespace
