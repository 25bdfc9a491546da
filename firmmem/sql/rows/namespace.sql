-- The namespace of a shelf.
SELECT namespace FROM shelf WHERE id = :shelf
