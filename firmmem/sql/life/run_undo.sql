-- Say that a run was taken back.
UPDATE run SET undone_at = :now WHERE id = :id
