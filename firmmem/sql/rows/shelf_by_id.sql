-- One shelf.
SELECT id, namespace, state, branch FROM shelf WHERE id = :id
