-- A client's votes on one memory that were not taken back; '' is every session.
SELECT id, outcome FROM vote
WHERE memory = :memory AND client = :client AND (:session = '' OR session = :session)
    AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = vote.id)
ORDER BY id
