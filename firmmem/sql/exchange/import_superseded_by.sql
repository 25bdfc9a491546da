-- Let one memory be superseded by what its successor became here.
UPDATE memory SET superseded_by = :superseded_by WHERE id = :id
