-- Every vote on one memory in the ledger's order, and when it was taken back.
SELECT
    vote.at,
    vote.client,
    vote.session,
    vote.outcome,
    vote.note,
    vote.trust_before,
    vote.trust_after,
    revocation.at AS revoked_at,
    coalesce(revocation.reason, '') AS revoked_reason,
    revocation.trust_before AS revoked_before,
    revocation.trust_after AS revoked_after
FROM vote
LEFT JOIN revocation ON revocation.vote = vote.id
WHERE vote.memory = :memory
ORDER BY vote.id
