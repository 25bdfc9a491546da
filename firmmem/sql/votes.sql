-- One memory's votes that count, oldest first: the latest of each client and session.
SELECT outcome, client, session FROM vote
WHERE memory = :memory AND id IN (SELECT max(id) FROM vote WHERE memory = :memory GROUP BY client, session)
ORDER BY id
