-- Begin the record of an import: the ids that are set aside for it.
INSERT INTO arrival (run, first_id, last_id) VALUES (:run, :first, :last)
