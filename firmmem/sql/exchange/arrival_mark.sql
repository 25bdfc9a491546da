-- Note how far the ledgers are: what an import added is at or below.
UPDATE arrival SET
    votes_to = coalesce((SELECT max(id) FROM vote), 0),
    moves_to = coalesce((SELECT max(id) FROM move), 0)
WHERE run = :run
