-- Doubt: votes taken back, memories set aside, alerts, core facts that wait for a person, and what lets a person
-- check a score and a curve by hand.

-- Votes that no longer count. Rows are only added; trust is the fold of the votes that are not in here.
CREATE TABLE revocation (
    vote         INTEGER PRIMARY KEY REFERENCES vote (id) ON DELETE CASCADE,
    at           REAL NOT NULL,
    reason       TEXT NOT NULL DEFAULT '',
    trust_before REAL NOT NULL,  -- of the memory, before and after all that was taken back with this one
    trust_after  REAL NOT NULL
) STRICT;

CREATE TRIGGER revocation_append_only BEFORE UPDATE ON revocation BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to');
END;

CREATE INDEX vote_by_client ON vote (client, memory);
CREATE INDEX vote_by_at ON vote (at);

-- Why memories were set aside: rows are only added, and what became of each is in the ledger of moves. `centre` and
-- `spread` are those of the rule that it broke: mean and deviation, or median and scaled median deviation; for a
-- fall, the trust before it and the least that counts as sudden.
CREATE TABLE quarantine (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    run    INTEGER NOT NULL,
    at     REAL NOT NULL,
    metric TEXT NOT NULL CHECK (metric IN ('trust', 'fall')),
    value  REAL NOT NULL,
    centre REAL NOT NULL,
    spread REAL NOT NULL,
    n      INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

CREATE TRIGGER quarantine_append_only BEFORE UPDATE ON quarantine BEGIN
    SELECT raise(ABORT, 'reasons of quarantine are only added');
END;

CREATE INDEX quarantine_by_memory ON quarantine (memory);

-- What a check found and left to a person, the newest of each kind for a namespace and tier.
CREATE TABLE alert (
    namespace TEXT NOT NULL,
    tier      TEXT NOT NULL CHECK (tier IN ('strategic', 'validated', 'draft')),
    kind      TEXT NOT NULL CHECK (kind IN ('many', 'high', 'rise')),
    run       INTEGER NOT NULL,
    first_at  REAL NOT NULL,
    at        REAL NOT NULL,
    n         INTEGER NOT NULL,
    count     INTEGER NOT NULL,
    memories  TEXT NOT NULL CHECK (json_valid(memories)),  -- some of them: ids and trust
    reason    TEXT NOT NULL,
    PRIMARY KEY (namespace, tier, kind)
) STRICT, WITHOUT ROWID;

-- Core facts that an agent would add and that wait for a person.
CREATE TABLE proposal (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace  TEXT NOT NULL CHECK (namespace <> ''),
    fact       TEXT NOT NULL CHECK (fact <> ''),
    subject    TEXT NOT NULL DEFAULT '',
    tags       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    identity   BLOB NOT NULL CHECK (length(identity) = 16),
    client     TEXT NOT NULL,
    session    TEXT NOT NULL,
    at         REAL NOT NULL,
    state      TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'accepted', 'refused')),
    decided_at REAL,
    memory     INTEGER REFERENCES memory (id) ON DELETE SET NULL,  -- what it became
    UNIQUE (identity)
) STRICT;

CREATE INDEX proposal_by_state ON proposal (namespace, state);

CREATE TRIGGER proposal_insert BEFORE INSERT ON proposal WHEN new.state <> 'waiting' BEGIN
    SELECT raise(ABORT, 'proposals are decided only by a person') WHERE NOT by_person();
END;

CREATE TRIGGER proposal_update BEFORE UPDATE ON proposal BEGIN
    SELECT raise(ABORT, 'proposals are decided only by a person') WHERE NOT by_person();
END;

CREATE TRIGGER proposal_delete BEFORE DELETE ON proposal BEGIN
    SELECT raise(ABORT, 'proposals are decided only by a person') WHERE NOT by_person();
END;

-- The latest reviews of each memory: what was left of it just before, and how firmly it held after.
CREATE TABLE review (
    memory        INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    at            REAL NOT NULL,
    decay         REAL NOT NULL CHECK (decay BETWEEN 0 AND 1),
    consolidation REAL NOT NULL CHECK (consolidation BETWEEN 0 AND 1),
    PRIMARY KEY (memory, at)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER review_append_only BEFORE UPDATE ON review BEGIN
    SELECT raise(ABORT, 'reviews are only added');
END;

-- The score of what is recalled without a query, for any program that reads SQLite and has exp(): the sqlite3 shell
-- has it, as most builds of SQLite 3.35 or newer do.
--
--     SELECT id, score, summary FROM memory_score WHERE namespace = 'default' ORDER BY rank, score DESC;
--
-- No goal is asked about, so that the alignment is 1. `at` is the time used, in seconds since 1970 UTC.
CREATE VIEW memory_score AS
WITH lived AS (
    SELECT
        memory.id,
        shelf.namespace,
        memory.tier,
        CASE memory.tier WHEN 'core' THEN 0 WHEN 'strategic' THEN 1 WHEN 'validated' THEN 2 ELSE 3 END AS rank,
        coalesce(goal.name, '') AS goal,
        memory.summary,
        (julianday('now') - 2440587.5) * 86400.0 AS at,
        memory.reviewed_at,
        CASE memory.tier
            WHEN 'strategic' THEN keying.strategic
            WHEN 'validated' THEN keying.validated
            WHEN 'draft' THEN keying.draft
        END * (1.0 + keying.consolidation_base * memory.consolidation * memory.recall_count) AS half_life,
        memory.strength / (4.0 + memory.strength) AS frequency,
        max(0.01, memory.importance) AS worth,
        memory.trust,
        memory.rank_key
    FROM memory
    JOIN shelf ON shelf.id = memory.shelf
    JOIN keying ON keying.id = 1
    LEFT JOIN goal ON goal.id = memory.goal
    WHERE shelf.state = 'active' AND shelf.branch = ''
),
faded AS (
    SELECT
        *,
        max(0.0, at - reviewed_at) / 86400.0 AS age_days,
        CASE tier WHEN 'core' THEN 1.0 ELSE exp(-max(0.0, at - reviewed_at) / 86400.0 / half_life) END AS decay
    FROM lived
),
factor AS (
    SELECT *, CASE tier WHEN 'core' THEN 1.0 ELSE decay * frequency * worth END AS rfm, 1.0 AS alignment FROM faded
)
SELECT
    id, namespace, tier, rank, goal, age_days, half_life, decay, frequency, worth, rfm, trust, alignment,
    rfm * trust * alignment AS score, at, rank_key, summary
FROM factor;
