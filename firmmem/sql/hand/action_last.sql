-- The last thing that a person did and has not taken back.
SELECT * FROM run WHERE by_person = 1 AND undone_at IS NULL AND job <> 'erase' ORDER BY id DESC LIMIT 1
