-- Delete memories, with all that belongs to them.
DELETE FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) AND tier = 'draft'
