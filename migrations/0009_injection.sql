-- Injections: what hooks put before agents, and the numbers that decided.

CREATE TABLE injection (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    host    TEXT NOT NULL,
    event   TEXT NOT NULL CHECK (event IN ('start', 'prompt', 'compact', 'stop', 'end')),
    source  TEXT NOT NULL DEFAULT '',  -- of a start: startup, resume, clear, compact
    at      REAL NOT NULL,
    budget  INTEGER NOT NULL,
    gate     REAL NOT NULL,  -- the chance of an answer that was asked for; 0 at a start
    strength REAL NOT NULL,  -- how much age, trust and goal weighed: 1 is the plain product
    tokens   INTEGER NOT NULL,
    lost    INTEGER NOT NULL DEFAULT 0 CHECK (lost IN (0, 1)),  -- what was given before is no longer in the context
    asked   INTEGER NOT NULL DEFAULT 0 CHECK (asked IN (0, 1))  -- the agent was asked to write what should last
) STRICT;

CREATE INDEX injection_by_session ON injection (session, id);
CREATE INDEX injection_by_at ON injection (at);

-- The memories that were looked at: given where there is no reason against it. The factors are those of the moment.
CREATE TABLE injected (
    injection INTEGER NOT NULL REFERENCES injection (id) ON DELETE CASCADE,
    memory    INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    place     INTEGER NOT NULL,
    reason    TEXT NOT NULL DEFAULT '',
    tokens    INTEGER NOT NULL,
    relevance REAL NOT NULL,
    rfm       REAL NOT NULL,
    trust     REAL NOT NULL,
    alignment REAL NOT NULL,
    score     REAL NOT NULL,
    PRIMARY KEY (injection, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX injected_by_memory ON injected (memory, injection);
