-- Vectors: what a model makes of a memory's text, so that it is found by meaning too.

CREATE TABLE encoder (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,  -- of the model's files and how they are used
    name        TEXT NOT NULL
) STRICT;

-- Vectors of different models are never compared. `change` grows with every vector that is new or has moved, so that
-- a process that holds vectors in memory reads only what changed since.
CREATE TABLE vector (
    change   INTEGER PRIMARY KEY AUTOINCREMENT,
    memory   INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    encoder  INTEGER NOT NULL REFERENCES encoder (id) ON DELETE CASCADE,
    shelf    INTEGER NOT NULL,
    language TEXT NOT NULL,
    packed   BLOB NOT NULL,  -- a float32 scale and an int8 for each dimension
    UNIQUE (memory, encoder)
) STRICT;

CREATE INDEX vector_by_shelf ON vector (encoder, shelf, change);

CREATE TRIGGER vector_move AFTER UPDATE OF shelf ON memory WHEN old.shelf <> new.shelf BEGIN
    INSERT OR REPLACE INTO vector (memory, encoder, shelf, language, packed)
    SELECT memory, encoder, new.shelf, language, packed FROM vector WHERE memory = new.id;
END;

CREATE TRIGGER vector_stale AFTER UPDATE OF summary ON memory WHEN old.summary <> new.summary BEGIN
    DELETE FROM vector WHERE memory = new.id;
END;
