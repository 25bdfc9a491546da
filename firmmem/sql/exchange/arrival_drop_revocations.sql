-- Let the votes of one memory count again that an import took back.
DELETE FROM revocation
WHERE vote IN (SELECT id FROM vote WHERE memory = :id) AND vote NOT IN (SELECT value FROM json_each(:kept))
