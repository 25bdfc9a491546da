"""Export: everything remembered as JSON Lines, the same bytes for the same memories."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from firmmem.errors import DamagedFileError
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
from firmmem.memory.rows.shelves import is_altered
from firmmem.store.file_errors import GARBLED
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch

BAD_ROW = (ValidationError, Error, TypeError, *GARBLED)
LEDGERS = {
    "votes": "export_votes",
    "reviews": "export_reviews",
    "moves": "export_moves",
    "quarantines": "export_quarantines",
}


@dataclass
class Faults:
    """Memories that are not as FirmMem wrote them: those in an export all the same, and those it leaves out."""

    skip: bool = False  # leave damaged ones out, instead of giving up
    altered: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)


def export_lines(connection: Connection, namespace: str = "", faults: Faults | None = None) -> Iterator[bytes]:
    """Yield the lines of an export, of everything or of one namespace, in one view of the file.

    The last line holds the number of records and the SHA-256 of all lines before it.

    Raises:
        DamagedFileError: A memory can't be read; it is named, unless `faults` has it left out.
    """
    digest, count = hashlib.sha256(), 0
    first = format_line({"type": "firmmem", "format": FORMAT, "namespace": namespace})
    digest.update(first)
    yield first
    for record in list_records(connection, namespace, faults or Faults()):
        line = format_record(record)
        digest.update(line)
        count += 1
        yield line
    yield format_line({"type": "end", "records": count, "sha256": digest.hexdigest()})


def list_records(connection: Connection, namespace: str, faults: Faults) -> Iterator[Record]:
    """Yield goals, sessions, memories by id, proposals."""
    for row in fetch(connection, "export_goals", namespace=namespace):
        yield GoalRecord(**as_mapping(row))
    for row in fetch(connection, "export_sessions", namespace=namespace):
        yield SessionRecord(**as_mapping(row))
    after = 0
    while ids := [row["id"] for row in fetch(connection, "export_ids", after=after, most=CHUNK)]:
        yield from memory_records(connection, namespace, ids, faults)
        after = ids[-1]
    for row in fetch(connection, "export_proposals", namespace=namespace):
        yield ProposalRecord(**as_mapping(row))


def memory_records(connection: Connection, namespace: str, ids: list[int], faults: Faults) -> Iterator[MemoryRecord]:
    """Yield the memories of some ids; where one of them is damaged, each is read by itself to find out which."""
    try:
        records = read_memories(connection, namespace, ids[0], ids[-1], faults)
    except BAD_ROW:
        records = []
        for each in ids:
            try:
                records += read_memories(connection, namespace, each, each, faults)
            except BAD_ROW as error:
                if not faults.skip:
                    raise damaged_row(each) from error
                faults.damaged.append(each)
    yield from records


def damaged_row(memory: int) -> DamagedFileError:
    """Return what a memory that can't be read means for a person; never with what is in it."""
    return DamagedFileError(
        f"Memory #{memory} is damaged: it, or one of its ledgers, holds what FirmMem never writes. Restore a backup "
        "(`firmmem backup restore`), or leave it out with `firmmem export --skip-damaged`; nothing was exported."
    )


def read_memories(connection: Connection, namespace: str, first: int, last: int, faults: Faults) -> list[MemoryRecord]:
    """Return the memories from one id to another, and note those whose text does not fit its hash."""
    records, altered = [], []
    for row in fetch(connection, "export_memories", namespace=namespace, first=first, last=last):
        records.append(memory_record(connection, row))
        if is_altered(row["namespace"], row["branch"], row["summary"], row["identity"]):
            altered.append(row["id"])
    faults.altered += altered
    return records


def memory_record(connection: Connection, row: Any) -> MemoryRecord:
    """Return a memory with all its ledgers."""
    value = as_mapping(row)
    del value["identity"]
    for name, statement in LEDGERS.items():
        value[name] = [as_mapping(child) for child in fetch(connection, statement, memory=row["id"])]
    shown = fetch(connection, "export_exposure", memory=row["id"])
    value["exposure"] = as_mapping(shown[0]) if shown else None
    value["conflicts"] = [child["other"] for child in fetch(connection, "export_conflicts", memory=row["id"])]
    if row["state"] == "erased":
        value["alone"] = any(child["alone"] for child in fetch(connection, "export_erasure", memory=row["id"]))
    return MemoryRecord(**value)


def as_mapping(row: Any) -> dict[str, Any]:
    """Return a row's columns by name, its lists as lists."""
    value = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a row's own iterator gives values
    return value | {name: json.loads(value[name]) for name in ("tags", "supersedes") if name in value}
