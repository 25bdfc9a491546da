-- The next memories on which a client has votes that were not taken back; '' is every session, every namespace.
SELECT DISTINCT memory.*, shelf.state, shelf.branch, shelf.namespace FROM vote
JOIN memory ON memory.id = vote.memory
JOIN shelf ON shelf.id = memory.shelf
WHERE vote.client = :client
    AND (:session = '' OR vote.session = :session)
    AND (:namespace = '' OR shelf.namespace = :namespace)
    AND memory.id > :after
    AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = vote.id)
ORDER BY memory.id
LIMIT :chunk + 0
