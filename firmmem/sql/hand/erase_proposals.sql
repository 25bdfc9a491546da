-- Leave the proposals without content that became one memory, or say what it says.
UPDATE proposal SET fact = '(erased)', subject = '', tags = '[]', identity = randomblob(16)
WHERE memory = :id OR identity IN (SELECT identity FROM memory WHERE id = :id)
