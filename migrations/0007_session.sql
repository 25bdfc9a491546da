-- Sessions: who used a namespace from when until when, and what belongs to each.

-- One stretch of work of one client in one namespace. It ends with the client's process, with its host's session, or
-- with a gap in time: what comes later is a session of its own. Votes and proposals name it by `key`: what its host or
-- its process calls it, and a number where an earlier one of the client was called the same.
CREATE TABLE session (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    key          TEXT NOT NULL CHECK (key <> ''),
    namespace    TEXT NOT NULL CHECK (namespace <> ''),
    client       TEXT NOT NULL,
    process      TEXT NOT NULL DEFAULT '',  -- the server's, made up anew at each start; '' until one has called
    host_session TEXT NOT NULL DEFAULT '',  -- what the host calls its session; '' where it has not said
    began_at     REAL NOT NULL,
    seen_at      REAL NOT NULL,  -- its last write, vote, archiving, recall or injection
    ended_at     REAL,  -- its client hung up, or its host said so; NULL: it goes on, or ended by a gap
    UNIQUE (namespace, client, key),
    CHECK (seen_at >= began_at)
) STRICT;

CREATE INDEX session_by_caller ON session (namespace, client, seen_at);
CREATE INDEX session_by_process ON session (process) WHERE ended_at IS NULL;
CREATE INDEX session_by_host_session ON session (host_session) WHERE ended_at IS NULL AND host_session <> '';

ALTER TABLE memory ADD COLUMN session INTEGER REFERENCES session (id);  -- that wrote it; NULL: before there were any

CREATE INDEX memory_by_session ON memory (session) WHERE session IS NOT NULL;

-- What a session starts with: the open goals, and the newest strategic memories of each.
CREATE INDEX goal_by_opened_at ON goal (namespace, opened_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX memory_by_goal_created_at ON memory (shelf, goal, created_at) WHERE tier = 'strategic' AND goal <> 0;
