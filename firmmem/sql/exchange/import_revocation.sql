-- Take back one vote of an export, unless it is taken back already.
INSERT OR IGNORE INTO revocation (vote, at, reason, trust_before, trust_after)
SELECT max(id), :revoked_at, :revoked_reason, :revoked_before, :revoked_after FROM vote
WHERE memory = :memory AND at = :at AND client = :client AND session = :session AND outcome = :outcome
HAVING max(id) IS NOT NULL
