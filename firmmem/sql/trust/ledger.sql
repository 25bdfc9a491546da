-- Every vote on one memory, oldest first, with its revocation, and whether it counts.
SELECT
    vote.*,
    revocation.at AS revoked_at,
    revocation.reason AS revoked_reason,
    revocation.trust_before AS revoked_before,
    revocation.trust_after AS revoked_after,
    revocation.vote IS NULL AND NOT EXISTS (
        SELECT 1 FROM vote AS later
        WHERE later.memory = vote.memory AND later.client = vote.client AND later.session = vote.session
            AND later.id > vote.id
            AND NOT EXISTS (SELECT 1 FROM revocation AS other WHERE other.vote = later.id)
    ) AS counts
FROM vote
LEFT JOIN revocation ON revocation.vote = vote.id
WHERE vote.memory = :memory
ORDER BY vote.id
