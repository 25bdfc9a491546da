-- Pins: questions with the memory that answers them, a store's own regression test; and what a person has looked at.

CREATE TABLE pin (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace  TEXT NOT NULL CHECK (namespace <> ''),
    question   TEXT NOT NULL CHECK (question <> ''),
    expected   INTEGER REFERENCES memory (id) ON DELETE SET NULL,
    created_at REAL NOT NULL,
    checked_at REAL,  -- NULL: never
    place      INTEGER NOT NULL DEFAULT 0,  -- in the answer at the last check, from 1; 0: it was not in it
    failed_at  REAL,  -- since when it is not among the first five; NULL: it is
    cause      TEXT NOT NULL DEFAULT '',  -- why not
    UNIQUE (namespace, question)
) STRICT;

CREATE INDEX pin_by_expected ON pin (expected) WHERE expected IS NOT NULL;
CREATE INDEX pin_failed ON pin (namespace) WHERE failed_at IS NOT NULL;

-- What the store was like when its pins were last checked: schema, model, and the last run that changed something.
CREATE TABLE pin_check (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    stamp TEXT NOT NULL,
    model TEXT NOT NULL
) STRICT;

-- What a person saw in the inbox and let be.
CREATE TABLE dismissal (
    namespace TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('conflict', 'alert')),
    key       TEXT NOT NULL,
    at        REAL NOT NULL,
    PRIMARY KEY (namespace, kind, key)
) STRICT, WITHOUT ROWID;
