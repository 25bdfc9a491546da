-- One proposal of one namespace.
SELECT * FROM proposal WHERE id = :id AND namespace = :namespace
