-- Memories of one shelf whose trust moved by :least or more since :since, and how many sessions' votes made it so.
SELECT
    memory.id,
    memory.tier,
    memory.trust,
    min(vote.id) AS first,
    vote.trust_before AS before,
    sum(vote.outcome = 'negative') AS against,
    sum(vote.outcome <> 'negative') AS supporting
FROM vote
CROSS JOIN memory ON memory.id IN (vote.memory)
WHERE vote.at >= :since
    AND memory.shelf = :shelf
    AND memory.tier <> 'core'
    AND vote.id IN (
        SELECT max(given.id) FROM vote AS given
        WHERE given.memory = memory.id AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = given.id)
        GROUP BY given.client, given.session
    )
GROUP BY memory.id
HAVING abs(memory.trust - vote.trust_before) >= :least
