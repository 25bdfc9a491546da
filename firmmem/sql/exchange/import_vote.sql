-- Add one vote of an export, unless it is in the ledger already.
INSERT INTO vote (memory, at, client, session, outcome, note, trust_before, trust_after)
SELECT :memory, :at, :client, :session, :outcome, :note, :trust_before, :trust_after
WHERE NOT EXISTS (
    SELECT 1 FROM vote
    WHERE memory = :memory AND at = :at AND client = :client AND session = :session AND outcome = :outcome
)
