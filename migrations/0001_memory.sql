-- Memories, the shelves they lie on, the words and tags that find them, and what happened to them.
-- Times are seconds since 1970 UTC, half-lives are days.
PRAGMA application_id = 0x4669724D;  -- "FirM"

-- A shelf is one namespace, state and branch. It leads every index, so that archived rows, branches and other
-- namespaces are never walked, and it counts what lies on it, so that no recall has to.
CREATE TABLE shelf (
    id        INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL CHECK (namespace <> ''),
    state     TEXT NOT NULL CHECK (state IN ('active', 'archived', 'superseded', 'quarantined')),
    branch    TEXT NOT NULL,  -- '' is main memory
    core      INTEGER NOT NULL DEFAULT 0 CHECK (core >= 0),  -- memories of each tier
    strategic INTEGER NOT NULL DEFAULT 0 CHECK (strategic >= 0),
    validated INTEGER NOT NULL DEFAULT 0 CHECK (validated >= 0),
    draft     INTEGER NOT NULL DEFAULT 0 CHECK (draft >= 0),
    words     INTEGER NOT NULL DEFAULT 0 CHECK (words >= 0),  -- in all of them
    UNIQUE (namespace, state, branch)
) STRICT;

CREATE TABLE goal (
    id        INTEGER PRIMARY KEY CHECK (id > 0),  -- 0 in memory.goal is no goal
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL CHECK (name <> ''),
    opened_at REAL,  -- by its first strategic memory; NULL while only mentioned
    closed_at REAL,
    UNIQUE (namespace, name)
) STRICT;

-- The half-lives that the ranking keys in `memory` were computed with, and how far a change of them has come.
CREATE TABLE keying (
    id                 INTEGER PRIMARY KEY CHECK (id = 1),
    draft              REAL NOT NULL CHECK (draft > 0),
    validated          REAL NOT NULL CHECK (validated > 0),
    strategic          REAL NOT NULL CHECK (strategic > 0),
    consolidation_base REAL NOT NULL CHECK (consolidation_base >= 0),
    pending_from       INTEGER,  -- memories of this id and above still have older keys; NULL: none
    pending_to         INTEGER
) STRICT;

-- Memories of one tier that fade at about one pace: those never reviewed all at the pace of their tier, the others
-- by the octave of their half-life.
CREATE TABLE stream (
    id    INTEGER PRIMARY KEY,  -- rank of the tier × 1000, + 500 + octave for reviewed ones
    slope REAL NOT NULL CHECK (slope >= 0)  -- the smallest 1 / half_life in it, per day
) STRICT;

CREATE TABLE memory (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
    shelf         INTEGER NOT NULL REFERENCES shelf (id),
    tier          TEXT NOT NULL CHECK (tier IN ('core', 'strategic', 'validated', 'draft')),
    goal          INTEGER NOT NULL DEFAULT 0,

    -- Numbers before texts: what ranks is read without walking past a text.
    importance    REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    initial_trust REAL NOT NULL CHECK (initial_trust BETWEEN 0 AND 1),
    trust         REAL NOT NULL CHECK (trust BETWEEN 0 AND 1),  -- the fold of its votes over initial_trust
    consolidation REAL NOT NULL DEFAULT 0 CHECK (consolidation BETWEEN 0 AND 1),
    recall_count  INTEGER NOT NULL DEFAULT 0 CHECK (recall_count >= 0),  -- reviews
    strength      REAL NOT NULL DEFAULT 1 CHECK (strength >= 0),  -- decayed count of writing and reviews
    created_at    REAL NOT NULL,
    reviewed_at   REAL NOT NULL,  -- the last review; at first, the writing

    -- What makes ranking exact without a scan: see sql/candidate_by_stream.sql.
    half_life     REAL NOT NULL CHECK (half_life > 0),  -- effective, by `keying`
    stream        INTEGER NOT NULL REFERENCES stream (id),
    rank_key      REAL NOT NULL,
    search_id     INTEGER NOT NULL,  -- shelf << 40 | id: the row of memory_words
    length        INTEGER NOT NULL CHECK (length >= 0),  -- in words

    state_at      REAL NOT NULL,  -- when it came to this shelf
    superseded_by INTEGER REFERENCES memory (id),
    suspect       INTEGER NOT NULL DEFAULT 0 CHECK (suspect IN (0, 1)),  -- it reads like an instruction
    identity      BLOB NOT NULL CHECK (length(identity) = 16),  -- of namespace, branch and normal form
    state_cause   TEXT NOT NULL DEFAULT '',  -- who or what put it there: agent, person, goal, branch, ...
    state_reason  TEXT NOT NULL DEFAULT '',
    supersedes    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(supersedes)),  -- ids, once its branch is merged
    source        TEXT NOT NULL DEFAULT '',  -- the client that wrote it
    subject       TEXT NOT NULL DEFAULT '',
    tags          TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    summary       TEXT NOT NULL CHECK (summary <> ''),
    words         TEXT NOT NULL,  -- segmented text, subject and tags
    repeated      TEXT NOT NULL DEFAULT '',  -- those of them that occur more than once

    CHECK (tier <> 'core' OR trust = 1.0)
) STRICT;

CREATE UNIQUE INDEX memory_by_identity ON memory (identity) WHERE superseded_by IS NULL;
-- What a search by words reads of each row that matches, without the row.
CREATE INDEX memory_by_search_id ON memory (search_id, length, tier, created_at);
CREATE UNIQUE INDEX core_by_subject ON memory (shelf, subject) WHERE tier = 'core' AND subject <> '';
CREATE INDEX memory_by_stream ON memory (shelf, stream, rank_key DESC);
CREATE INDEX memory_by_goal_stream ON memory (shelf, goal, stream, rank_key DESC) WHERE goal <> 0;
CREATE INDEX memory_by_subject ON memory (shelf, subject) WHERE subject <> '';
CREATE INDEX memory_by_created_at ON memory (shelf, created_at);
CREATE INDEX memory_by_superseded_by ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE memory_tag (
    shelf  INTEGER NOT NULL,
    tag    TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    PRIMARY KEY (shelf, tag, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tag_by_memory ON memory_tag (memory);

CREATE VIRTUAL TABLE memory_words USING fts5 (
    words, repeated, content = 'memory', content_rowid = 'search_id', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER memory_words_insert AFTER INSERT ON memory BEGIN
    INSERT INTO memory_words (rowid, words, repeated) VALUES (new.search_id, new.words, new.repeated);
END;

CREATE TRIGGER memory_words_delete AFTER DELETE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, words, repeated)
    VALUES ('delete', old.search_id, old.words, old.repeated);
END;

CREATE TRIGGER memory_words_update AFTER UPDATE OF words, repeated, search_id ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, words, repeated)
    VALUES ('delete', old.search_id, old.words, old.repeated);
    INSERT INTO memory_words (rowid, words, repeated) VALUES (new.search_id, new.words, new.repeated);
END;

CREATE TRIGGER memory_tag_insert AFTER INSERT ON memory WHEN new.tags <> '[]' BEGIN
    INSERT OR IGNORE INTO memory_tag (shelf, tag, memory)
    SELECT new.shelf, value, new.id FROM json_each(new.tags);
END;

CREATE TRIGGER memory_tag_update AFTER UPDATE OF tags, shelf ON memory WHEN old.tags <> '[]' OR new.tags <> '[]' BEGIN
    DELETE FROM memory_tag WHERE memory = new.id;
    INSERT OR IGNORE INTO memory_tag (shelf, tag, memory)
    SELECT new.shelf, value, new.id FROM json_each(new.tags);
END;

CREATE TRIGGER shelf_insert AFTER INSERT ON memory BEGIN
    UPDATE shelf SET
        core = core + (new.tier = 'core'),
        strategic = strategic + (new.tier = 'strategic'),
        validated = validated + (new.tier = 'validated'),
        draft = draft + (new.tier = 'draft'),
        words = words + new.length
    WHERE id = new.shelf;
END;

CREATE TRIGGER shelf_delete AFTER DELETE ON memory BEGIN
    UPDATE shelf SET
        core = core - (old.tier = 'core'),
        strategic = strategic - (old.tier = 'strategic'),
        validated = validated - (old.tier = 'validated'),
        draft = draft - (old.tier = 'draft'),
        words = words - old.length
    WHERE id = old.shelf;
END;

CREATE TRIGGER shelf_update AFTER UPDATE OF shelf, tier, length ON memory BEGIN
    UPDATE shelf SET
        core = core - (old.tier = 'core'),
        strategic = strategic - (old.tier = 'strategic'),
        validated = validated - (old.tier = 'validated'),
        draft = draft - (old.tier = 'draft'),
        words = words - old.length
    WHERE id = old.shelf;
    UPDATE shelf SET
        core = core + (new.tier = 'core'),
        strategic = strategic + (new.tier = 'strategic'),
        validated = validated + (new.tier = 'validated'),
        draft = draft + (new.tier = 'draft'),
        words = words + new.length
    WHERE id = new.shelf;
END;

-- Only a person changes or removes a core fact. A connection says with by_person() who it works for; a program
-- that lacks the function can't change one at all. `recursive_triggers` makes REPLACE meet the delete trigger.
-- Columns that only mirror settings (half_life, stream, rank_key) stay free, so that keys can be computed anew.
CREATE TRIGGER core_update BEFORE UPDATE OF
    id, shelf, tier, goal, subject, summary, tags, identity, source, suspect, importance, initial_trust, trust,
    consolidation, recall_count, strength, created_at, reviewed_at, state_at, state_cause, state_reason,
    superseded_by, supersedes, search_id, words, repeated, length
ON memory WHEN old.tier = 'core' BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person') WHERE NOT by_person();
END;

CREATE TRIGGER core_delete BEFORE DELETE ON memory WHEN old.tier = 'core' BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person') WHERE NOT by_person();
END;

-- What REPLACE would remove to make room, with no delete trigger where `recursive_triggers` is off.
CREATE TRIGGER core_replaced_by_insert BEFORE INSERT ON memory
WHEN EXISTS (SELECT 1 FROM memory WHERE id = new.id AND tier = 'core')
    OR EXISTS (SELECT 1 FROM memory WHERE search_id = new.search_id AND tier = 'core')
    OR EXISTS (
        SELECT 1 FROM memory
        WHERE identity = new.identity AND superseded_by IS NULL AND new.superseded_by IS NULL AND tier = 'core'
    )
    OR EXISTS (
        SELECT 1 FROM memory
        WHERE shelf = new.shelf AND subject = new.subject AND subject <> '' AND tier = 'core' AND new.tier = 'core'
    )
BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person');
END;

CREATE TRIGGER core_replaced_by_update BEFORE UPDATE OF id, shelf, tier, subject, identity, superseded_by, search_id
ON memory
WHEN EXISTS (SELECT 1 FROM memory WHERE id = new.id AND id <> old.id AND tier = 'core')
    OR EXISTS (SELECT 1 FROM memory WHERE search_id = new.search_id AND id <> old.id AND tier = 'core')
    OR EXISTS (
        SELECT 1 FROM memory
        WHERE identity = new.identity AND superseded_by IS NULL AND new.superseded_by IS NULL
            AND id <> old.id AND tier = 'core'
    )
    OR EXISTS (
        SELECT 1 FROM memory
        WHERE shelf = new.shelf AND subject = new.subject AND subject <> '' AND tier = 'core' AND new.tier = 'core'
            AND id <> old.id
    )
BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person');
END;

CREATE TRIGGER core_shelf_update BEFORE UPDATE OF id, namespace, state, branch ON shelf WHEN old.core > 0 BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person');
END;

CREATE TRIGGER core_shelf_delete BEFORE DELETE ON shelf WHEN old.core > 0 BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person');
END;

-- How often a memory was shown without that being a review.
CREATE TABLE exposure (
    memory  INTEGER PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    times   INTEGER NOT NULL,
    last_at REAL NOT NULL
) STRICT;

-- The trust ledger: rows are only added. Trust is the fold, in this order, over the latest vote of each
-- memory, client and session.
CREATE TABLE vote (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    memory       INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    at           REAL NOT NULL,
    client       TEXT NOT NULL,
    session      TEXT NOT NULL,
    outcome      TEXT NOT NULL CHECK (outcome IN ('positive', 'negative', 'verified')),
    note         TEXT NOT NULL DEFAULT '',
    trust_before REAL NOT NULL,
    trust_after  REAL NOT NULL
) STRICT;

CREATE INDEX vote_by_memory ON vote (memory);

CREATE TRIGGER vote_append_only BEFORE UPDATE ON vote BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to');
END;
