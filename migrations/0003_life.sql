-- How a memory's life goes on: when drafts fade, a ledger of every move, and the periodic work that moves them.

ALTER TABLE memory ADD COLUMN fades_at REAL;  -- when a draft's decay falls below 0.05; NULL: it is not forgotten

UPDATE memory SET fades_at = reviewed_at + half_life * 2.995732273553991 * 86400.0 WHERE tier = 'draft';

CREATE INDEX memory_by_fades_at ON memory (shelf, fades_at) WHERE tier = 'draft';
-- Few drafts are ever reviewed, and few validated memories lose their trust.
CREATE INDEX memory_by_promotion ON memory (shelf, trust) WHERE tier = 'draft' AND recall_count > 0;
CREATE INDEX memory_by_demotion ON memory (shelf, trust) WHERE tier = 'validated';
CREATE INDEX memory_by_forgotten_at ON memory (shelf, state_at) WHERE state_cause = 'forgotten';

-- The periodic work: when each job last ran, and who is at it. `held_at` is renewed in every transaction of a run, so
-- that a run whose process died is taken over.
CREATE TABLE job (
    name      TEXT PRIMARY KEY,
    last_run  REAL,  -- NULL: never
    run       INTEGER,  -- under way; NULL: none
    holder    TEXT NOT NULL DEFAULT '',
    held_at   REAL,
    marked_at REAL,  -- after a gap: what had faded by then is put away a day later, see firmmem/memory/forget.py
    result    TEXT NOT NULL DEFAULT ''  -- of the last run, in a few words
) STRICT, WITHOUT ROWID;

-- Runs that changed something, or failed.
CREATE TABLE run (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    job       TEXT NOT NULL,
    began_at  REAL NOT NULL,
    ended_at  REAL,  -- NULL: under way, or its process died
    done      INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),  -- memories changed
    result    TEXT NOT NULL DEFAULT '',
    failed    INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
    undone_at REAL
) STRICT;

-- The ledger of moves between tiers and shelves: rows are only added.
CREATE TABLE move (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    memory     INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    at         REAL NOT NULL,
    run        INTEGER,  -- of the periodic work; NULL: by an agent or a person
    cause      TEXT NOT NULL,
    reason     TEXT NOT NULL DEFAULT '',
    from_tier  TEXT NOT NULL,
    to_tier    TEXT NOT NULL,
    from_shelf INTEGER NOT NULL REFERENCES shelf (id),
    to_shelf   INTEGER NOT NULL REFERENCES shelf (id),
    was_at     REAL NOT NULL,  -- what the memory said of its shelf before
    was_cause  TEXT NOT NULL,
    was_reason TEXT NOT NULL
) STRICT;

CREATE INDEX move_by_memory ON move (memory, at);
CREATE INDEX move_by_forgetting ON move (at) WHERE cause = 'forgotten';
CREATE INDEX move_by_run ON move (run, id) WHERE run IS NOT NULL;

CREATE TRIGGER move_append_only BEFORE UPDATE ON move BEGIN
    SELECT raise(ABORT, 'the ledger of moves is only added to');
END;

-- Memories that seemed to contradict each other when the later one was written, each pair both ways.
CREATE TABLE conflict (
    memory INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    other  INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    PRIMARY KEY (memory, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX conflict_by_other ON conflict (other);

-- What each namespace's tiers were like, hour by hour.
CREATE TABLE statistic (
    namespace       TEXT NOT NULL,
    tier            TEXT NOT NULL,
    at              REAL NOT NULL,
    memories        INTEGER NOT NULL,
    trust_mean      REAL NOT NULL,
    trust_deviation REAL NOT NULL,
    rfm_mean        REAL NOT NULL,
    rfm_deviation   REAL NOT NULL,
    PRIMARY KEY (namespace, tier, at)
) STRICT, WITHOUT ROWID;
