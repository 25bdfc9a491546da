-- Let one goal be open or closed as it was.
UPDATE goal SET opened_at = :opened_at, closed_at = :closed_at WHERE id = :id
