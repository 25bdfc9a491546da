-- Imports: each is a run that is taken back whole. Its new memories have the ids that were set aside for it, and what
-- it changed of what was there is written down before it is changed.
CREATE TABLE arrival (
    run      INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    first_id INTEGER NOT NULL,  -- no other memory ever gets an id from here
    last_id  INTEGER NOT NULL,  -- to here
    votes_to INTEGER NOT NULL DEFAULT 0,  -- the ledgers when it last wrote: what is above came after it
    moves_to INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE arrival_change (
    id     INTEGER PRIMARY KEY,
    run    INTEGER NOT NULL REFERENCES arrival (run) ON DELETE CASCADE,
    kind   TEXT NOT NULL CHECK (kind IN ('memory', 'goal', 'proposal')),
    changed INTEGER NOT NULL,  -- its id
    before TEXT NOT NULL,  -- JSON; null: it was not there
    after  TEXT NOT NULL
) STRICT;

CREATE INDEX arrival_change_by_run ON arrival_change (run, id);
