-- What made one memory validated, the last time that something but an undo did; no row where it was written so.
SELECT cause FROM move
WHERE memory = :memory AND to_tier = 'validated' AND from_tier <> 'validated' AND cause <> 'undone'
ORDER BY id DESC
LIMIT 1
