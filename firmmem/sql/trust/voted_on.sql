-- The next memories on which a client has votes that were not taken back; '' is every session, every namespace.
SELECT memory.*, shelf.state, shelf.branch, shelf.namespace
FROM vote INDEXED BY vote_by_client
CROSS JOIN memory ON memory.id = vote.memory
CROSS JOIN shelf ON shelf.id = memory.shelf
WHERE vote.client = :client
    AND vote.memory > :after
    AND (:session = '' OR vote.session = :session)
    AND (:namespace = '' OR shelf.namespace = :namespace)
    AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = vote.id)
GROUP BY vote.memory
ORDER BY vote.memory
LIMIT :chunk + 0
