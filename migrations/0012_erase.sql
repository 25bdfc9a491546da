-- Erase: a person takes a memory's content out of the file for good; a tombstone keeps its place.

-- A shelf for tombstones, which nothing recalls. Only a CHECK changes, for which SQLite's documents recommend this way:
-- the table keeps its rows, its triggers and what refers to it.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(sql, '''superseded'', ''quarantined'')', '''superseded'', ''quarantined'', ''erased'')')
WHERE type = 'table' AND name = 'shelf';

PRAGMA writable_schema = RESET;

-- What was erased, and when its bytes were gone from the file too: NULL until then.
CREATE TABLE erasure (
    memory      INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    run         INTEGER NOT NULL,  -- 0: it came with an import
    at          REAL NOT NULL,
    finished_at REAL,
    -- By what an export that was made before is known to bring it back, without a trace of the text: the moment it was
    -- written, with its id there, or alone where nothing else was written at that moment.
    origin      INTEGER NOT NULL,
    alone       INTEGER NOT NULL CHECK (alone IN (0, 1))
) STRICT;

CREATE INDEX erasure_unfinished ON erasure (memory) WHERE finished_at IS NULL;

-- A tombstone stays one: nobody gives it a text, a place among memories, or another identity. One that came with an
-- import goes with it where that is taken back.
CREATE TRIGGER erased_update BEFORE UPDATE OF
    id, shelf, subject, subject_key, summary, tags, identity, state_cause, state_reason, words, repeated, search_id
ON memory WHEN EXISTS (SELECT 1 FROM erasure WHERE memory = old.id AND run > 0) BEGIN
    SELECT raise(ABORT, 'what was erased stays so');
END;

CREATE TRIGGER erased_delete BEFORE DELETE ON memory
WHEN EXISTS (SELECT 1 FROM erasure WHERE memory = old.id AND run > 0) BEGIN
    SELECT raise(ABORT, 'what was erased stays so');
END;

-- A person who erases may also empty the reasons that stand in the ledgers, and nothing else of them.
DROP TRIGGER quarantine_append_only;

CREATE TRIGGER quarantine_append_only BEFORE UPDATE ON quarantine BEGIN
    SELECT raise(ABORT, 'reasons of quarantine are only added') WHERE NOT (
        by_person() AND new.reason IN ('', old.reason)
        AND (new.id, new.memory, new.run, new.at, new.metric, new.value, new.centre, new.spread, new.n)
            IS (old.id, old.memory, old.run, old.at, old.metric, old.value, old.centre, old.spread, old.n)
    );
END;

DROP TRIGGER move_append_only;

CREATE TRIGGER move_append_only BEFORE UPDATE ON move BEGIN
    SELECT raise(ABORT, 'the ledger of moves is only added to') WHERE NOT (
        by_person() AND new.reason IN ('', old.reason) AND new.was_reason IN ('', old.was_reason)
        AND (new.id, new.memory, new.at, new.run, new.cause, new.from_tier, new.to_tier)
            IS (old.id, old.memory, old.at, old.run, old.cause, old.from_tier, old.to_tier)
        AND (new.from_shelf, new.to_shelf, new.was_at, new.was_cause, new.was_superseded_by)
            IS (old.from_shelf, old.to_shelf, old.was_at, old.was_cause, old.was_superseded_by)
    );
END;

CREATE TRIGGER change_append_only BEFORE UPDATE ON change BEGIN
    SELECT raise(ABORT, 'the ledger of changes is only added to') WHERE NOT (
        by_person() AND new.was IN ('{}', old.was)
        AND (new.id, new.run, new.kind, new.memory, new.version, new.vote, new.goal, new.proposal, new.at)
            IS (old.id, old.run, old.kind, old.memory, old.version, old.vote, old.goal, old.proposal, old.at)
    );
END;
