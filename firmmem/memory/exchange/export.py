"""Export: everything remembered as JSON Lines, the same bytes for the same memories."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from firmmem.memory.exchange.record import (
    FORMAT,
    GoalRecord,
    MemoryRecord,
    ProposalRecord,
    Record,
    SessionRecord,
    format_line,
    format_record,
)
from firmmem.memory.rows.ranking_keys import CHUNK
from firmmem.store.statements import Connection, fetch

LEDGERS = {
    "votes": "export_votes",
    "reviews": "export_reviews",
    "moves": "export_moves",
    "quarantines": "export_quarantines",
}


def export_lines(connection: Connection, namespace: str = "") -> Iterator[bytes]:
    """Yield the lines of an export, of everything or of one namespace, in one view of the file.

    The last line holds the number of records and the SHA-256 of all lines before it.
    """
    digest, count = hashlib.sha256(), 0
    first = format_line({"type": "firmmem", "format": FORMAT, "namespace": namespace})
    digest.update(first)
    yield first
    for record in list_records(connection, namespace):
        line = format_record(record)
        digest.update(line)
        count += 1
        yield line
    yield format_line({"type": "end", "records": count, "sha256": digest.hexdigest()})


def list_records(connection: Connection, namespace: str) -> Iterator[Record]:
    """Yield goals, sessions, memories by id, proposals."""
    for row in fetch(connection, "export_goals", namespace=namespace):
        yield GoalRecord(**as_mapping(row))
    for row in fetch(connection, "export_sessions", namespace=namespace):
        yield SessionRecord(**as_mapping(row))
    after = 0
    while rows := fetch(connection, "export_memories", namespace=namespace, after=after, most=CHUNK):
        for row in rows:
            yield memory_record(connection, row)
        after = rows[-1]["id"]
    for row in fetch(connection, "export_proposals", namespace=namespace):
        yield ProposalRecord(**as_mapping(row))


def memory_record(connection: Connection, row: Any) -> MemoryRecord:
    """Return a memory with all its ledgers."""
    value = as_mapping(row)
    for name, statement in LEDGERS.items():
        value[name] = [as_mapping(child) for child in fetch(connection, statement, memory=row["id"])]
    shown = fetch(connection, "export_exposure", memory=row["id"])
    value["exposure"] = as_mapping(shown[0]) if shown else None
    value["conflicts"] = [child["other"] for child in fetch(connection, "export_conflicts", memory=row["id"])]
    return MemoryRecord(**value)


def as_mapping(row: Any) -> dict[str, Any]:
    """Return a row's columns by name, its lists as lists."""
    value = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a row's own iterator gives values
    return value | {name: json.loads(value[name]) for name in ("tags", "supersedes") if name in value}
