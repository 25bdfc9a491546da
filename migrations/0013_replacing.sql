-- Proposals that would change a core fact name it.

ALTER TABLE proposal ADD COLUMN replaces INTEGER REFERENCES memory (id) ON DELETE SET NULL;

CREATE INDEX proposal_by_replaces ON proposal (replaces) WHERE replaces IS NOT NULL;
