-- One memory's votes that count, oldest first: the latest of each client and session that was not taken back.
SELECT outcome, client, session FROM vote
WHERE memory = :memory AND id IN (
    SELECT max(given.id) FROM vote AS given
    WHERE given.memory = :memory AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = given.id)
    GROUP BY given.client, given.session
)
ORDER BY id
