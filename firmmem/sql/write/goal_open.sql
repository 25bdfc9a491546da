-- Open a goal, for the first time or again.
UPDATE goal SET opened_at = coalesce(opened_at, :now), closed_at = NULL WHERE id = :id
