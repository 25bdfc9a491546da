-- Let one memory never have been shown.
DELETE FROM exposure WHERE memory = :id
