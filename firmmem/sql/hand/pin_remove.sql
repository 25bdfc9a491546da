-- Drop one pin of a namespace.
DELETE FROM pin WHERE id = :id AND namespace = :namespace
