-- Add one vote to the trust ledger.
INSERT INTO vote (memory, at, client, session, outcome, note, trust_before, trust_after)
VALUES (:memory, :now, :client, :session, :outcome, :note, :trust_before, :trust_after)
RETURNING id
