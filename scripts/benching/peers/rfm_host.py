"""Answers lines of JSON-RPC with mem-rfm's SQL functions; runs where mem-rfm is installed and nothing else is."""

import json
import sqlite3
import sys
import time

import mem_rfm

DAY = 86_400.0
LIMIT = 20
SEARCH = """
    SELECT m.id, m.content, -bm25(word) * rfm_prior(m.id) AS score
    FROM word JOIN rfm_memories AS m ON m.id = word.rowid
    WHERE word MATCH ? ORDER BY score DESC LIMIT ?
"""
BEST = "SELECT id, content, rfm_score(id) AS score FROM rfm_memories ORDER BY score DESC LIMIT ?"
INSERT = "INSERT INTO rfm_memories (content, created_at) VALUES (?, ?)"
INDEX = "INSERT INTO word (rowid, content) VALUES (?, ?)"


def main() -> None:
    connection = opened(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(connection, message["method"], message["params"])
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


def opened(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file)
    mem_rfm.register(connection)
    connection.execute("SELECT rfm_init()").fetchall()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 (content, content='rfm_memories')")
    return connection


def answer(connection: sqlite3.Connection, method: str, params: dict) -> dict:
    if method != "tools/call":
        return {"tools": []}
    said = TOOLS[params["name"]](connection, **params["arguments"])
    return {"content": [{"type": "text", "text": said}]}


def search(connection: sqlite3.Connection, query: str) -> str:
    return told(connection.execute(SEARCH, (query, LIMIT)))


def best(connection: sqlite3.Connection) -> str:
    return told(connection.execute(BEST, (LIMIT,)))


def told(rows: sqlite3.Cursor) -> str:
    return "\n".join(f"#{id_} {score:.3f} {content}" for id_, content, score in rows)


def write(connection: sqlite3.Connection, memories: list[tuple[str, float]]) -> str:
    with connection:
        for text, days_ago in memories:
            id_ = connection.execute(INSERT, (text, time.time() - days_ago * DAY)).lastrowid
            connection.execute(INDEX, (id_, text))
    return str(len(memories))


TOOLS = {"search": search, "best": best, "write": write}

if __name__ == "__main__":
    main()
