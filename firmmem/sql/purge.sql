-- Delete one draft, with all that belongs to it.
DELETE FROM memory WHERE id = :id AND tier = 'draft'
