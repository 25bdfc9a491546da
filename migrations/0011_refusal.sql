-- What was not stored: how often a write was refused, or the file could not be used, and when last. Never a text.
CREATE TABLE refusal (
    word     TEXT NOT NULL CHECK (word IN ('refused', 'unavailable')),  -- that the answer began with
    reason   TEXT NOT NULL CHECK (reason <> ''),
    times    INTEGER NOT NULL CHECK (times > 0),
    last_at  REAL NOT NULL,
    PRIMARY KEY (word, reason)
) STRICT, WITHOUT ROWID;
