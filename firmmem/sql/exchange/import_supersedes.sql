-- Let one memory of a branch supersede what its targets became here, once it is merged.
UPDATE memory SET supersedes = :supersedes WHERE id = :id
