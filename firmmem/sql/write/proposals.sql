-- One namespace's proposals, oldest first: those that wait, or every one.
SELECT * FROM proposal
WHERE namespace = :namespace AND (:everything OR state = 'waiting')
ORDER BY id
