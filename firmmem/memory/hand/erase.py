"""Erase: a person takes memories out of the file, with all that was kept of them; tombstones keep their places.

The content goes in one transaction, so that a crash leaves it whole or leaves none of it to be seen. What lies
between the rows then (free pages, the search index's parts, the WAL) is rewritten by `store.erasing`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.hand.action import record_action
from firmmem.memory.life.history import list_versions
from firmmem.memory.rows.moves import note_move
from firmmem.memory.rows.shelves import ensure_shelf, normalise_label
from firmmem.store.erasing import remove_remains
from firmmem.store.statements import Connection, fetch, run, transaction

EMPTIED = (
    "erase_proposals",  # first: it looks for the identity that the memory still has
    *("erase_votes", "erase_revocations", "erase_moves", "erase_quarantines", "erase_changes"),
    *("erase_conflicts", "erase_vectors", "erase_arrivals", "erase_pins"),
)


@dataclass(frozen=True)
class Target:
    """A memory to be erased, and what tells it from others in a copy of the file."""

    id: int
    created_at: float
    identity: bytes
    namespace: str
    summary: str


def find_targets(
    connection: Connection, memory_ids: Sequence[int], *, namespace: str, history: bool = False
) -> list[Target]:
    """Return what is erased with these memories: what they said before a person edited them, too.

    With `history` also what they superseded, which are memories of their own.

    Raises:
        InvalidArgumentError: There is no such memory, or it was erased before.
    """
    space = normalise_label(namespace)
    found = {row["id"]: row for row in fetch(connection, "memory_by_id", ids=as_ids(memory_ids), namespace=space)}
    for memory_id in memory_ids:
        if memory_id not in found:
            raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}: see firmmem list.")
        if found[memory_id]["state"] == "erased":
            raise InvalidArgumentError(f"#{memory_id} was erased already.")
    ids: dict[int, None] = {}
    for memory_id in memory_ids:
        older = earlier_ids(connection, memory_id, space) if history else [memory_id]
        for each in older:
            ids |= dict.fromkeys([each, *(row["id"] for row in fetch(connection, "edit_versions", id=each))])
    rows = fetch(connection, "memory_by_id", ids=as_ids(ids), namespace=space)
    return [
        Target(row["id"], row["created_at"], row["identity"], space, row["summary"])
        for row in rows
        if row["state"] != "erased"
    ]


def earlier_ids(connection: Connection, memory_id: int, namespace: str) -> list[int]:
    """Return a memory and all that led to it by supersession."""
    chain = {row["id"]: row["superseded_by"] for row in list_versions(connection, memory_id, namespace=namespace)}
    found = [memory_id]
    for each in found:  # it grows as it is read
        found += [older for older, newer in chain.items() if newer == each and older not in found]
    return found


def as_ids(ids: Iterable[int]) -> str:
    """Return ids as the statements take them."""
    return json.dumps(list(ids))


def erase_rows(connection: Connection, memory_ids: Iterable[int], *, run_id: int, now: float) -> None:
    """Leave memories without content, in a transaction; needs a connection by a person."""
    connection.execute("PRAGMA secure_delete = ON")
    for memory_id in memory_ids:
        [row] = fetch(connection, "memory_with_place", id=memory_id)
        shelf = ensure_shelf(connection, row["namespace"], "erased", "")
        note_move(connection, memory_id, shelf=shelf, now=now, cause="erased", run_id=run_id)
        for statement in EMPTIED:
            run(connection, statement, id=memory_id)
        run(connection, "erase_memory", id=memory_id, shelf=shelf, now=now)
        run(connection, "erasure_note", id=memory_id, run=run_id, now=now)


def erase_targets(connection: Connection, targets: Sequence[Target], *, now: float) -> int:
    """Erase memories and what remains of them in the file; needs a connection by a person. Return the run.

    Raises:
        UnavailableError: Nothing was erased; or, as the sentence says, remains of it are still in the file.
    """
    with transaction(connection), record_action(connection, "erase", now=now) as action:
        action.undoable = False
        action.said = f"{len(targets)} erased"
        erase_rows(connection, [target.id for target in targets], run_id=action.run, now=now)
    finish_erasures(connection, now=now)
    return action.run


def finish_erasures(connection: Connection, *, now: float) -> int:
    """Take what remains of erased memories out of the file; return of how many.

    Raises:
        BusyFileError: Another process reads or writes the file: what remains is still there.
    """
    waiting = len(fetch(connection, "erasures_unfinished"))
    if waiting:
        remove_remains(connection)
        with transaction(connection):
            run(connection, "erasure_finish", now=now)
    return waiting


def list_unfinished(connection: Connection) -> list[Any]:
    """Return the memories that were erased while what remains of them is still in the file."""
    return fetch(connection, "erasures_unfinished")
