-- Delete memories, with all that belongs to them; by their ids (+), not by the index of drafts.
DELETE FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) AND +tier = 'draft'
