-- Close a goal.
UPDATE goal SET closed_at = :now WHERE id = :id
