-- Add to the ledger what a person changes besides a shelf or a tier.
INSERT INTO change (run, kind, memory, version, vote, goal, proposal, at, was)
VALUES (:run, :kind, :memory, :version, :vote, :goal, :proposal, :now, :was)
