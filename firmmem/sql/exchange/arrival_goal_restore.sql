-- Put a goal back as it was before an import.
UPDATE goal SET opened_at = :opened_at, closed_at = :closed_at WHERE id = :id
