-- A person's hand: what a person does is a run too, so that it can be taken back as the periodic work can.

ALTER TABLE run ADD COLUMN by_person INTEGER NOT NULL DEFAULT 0 CHECK (by_person IN (0, 1));

-- What a memory was superseded by before the move, so that a restored one can be history again.
ALTER TABLE move ADD COLUMN was_superseded_by INTEGER;

-- What a person changed besides shelves and tiers, which the ledger of moves has: rows are only added.
CREATE TABLE change (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    run      INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('added', 'edited', 'voted', 'goal', 'proposal')),
    memory   INTEGER REFERENCES memory (id) ON DELETE CASCADE,
    version  INTEGER REFERENCES memory (id) ON DELETE CASCADE,  -- edited: the memory as it was
    vote     INTEGER REFERENCES vote (id) ON DELETE CASCADE,
    goal     INTEGER REFERENCES goal (id) ON DELETE CASCADE,
    proposal INTEGER REFERENCES proposal (id) ON DELETE CASCADE,
    at       REAL NOT NULL,
    was      TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(was))  -- what no other row keeps of the state before
) STRICT;

CREATE INDEX change_by_run ON change (run, id);
CREATE INDEX change_by_memory ON change (memory, id) WHERE memory IS NOT NULL;
CREATE INDEX change_by_version ON change (version) WHERE version IS NOT NULL;
CREATE INDEX change_by_vote ON change (vote) WHERE vote IS NOT NULL;
