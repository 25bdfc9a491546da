"""An import as a run: its ids are set aside, it works in short transactions, and it is hidden until its end.

New memories lie on shelves of a branch that no caller can name. At the end these shelves take the place of those that
they are for, in one transaction, which costs the same however many memories lie there. That can be where little or
nothing is on the shelf that is replaced; a shelf on which much lies gets its memories directly, piece by piece.

A process that dies leaves a run which `take_back` removes, as it does when anything fails.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmmem.errors import BusyFileError
from firmmem.memory.rows.hidden import HIDDEN, hidden_branch, true_branch
from firmmem.memory.rows.shelves import ensure_shelf
from firmmem.store.statements import Connection, fetch, run, transaction
from firmmem.store.write_lock import locked

JOB = "import"
PIECE_S = 0.025  # seconds of a transaction before its commit, which may take as long again
PAUSE_S = 0.012  # then others write: they ask for their turn every 8 ms
SMALL = 200  # memories that come in, or are moved, in one transaction
SWAPPED = 1000  # that may lie on a shelf which makes room: they move in the one transaction that shows the import
MANY_MOVES = 20_000

Key = tuple[str, str, str]  # namespace, state, branch


@dataclass
class Arrival:
    """One import under way, on a connection by a person; `whole`: all of it is one transaction of the caller's."""

    connection: Connection
    run_id: int
    offset: int  # an id in the file + offset is the id here
    whole: bool
    shelves: dict[Key, int] = field(default_factory=dict)
    shown: bool = False
    left_at: float = 0.0  # when the last piece ended

    def __post_init__(self) -> None:
        self.shown = self.whole

    @contextmanager
    def piece(self) -> Iterator[float]:
        """Hold one short transaction, and yield until when it should last; before it, others could write."""
        if self.whole:
            yield float("inf")
            return
        time.sleep(max(0.0, self.left_at + PAUSE_S - time.perf_counter()))  # what was made ready since is a pause too
        with transaction(self.connection):
            yield time.perf_counter() + PIECE_S
            run(self.connection, "arrival_mark", run=self.run_id)
        self.left_at = time.perf_counter()

    def shelf(self, namespace: str, state: str, branch: str) -> int:
        """Return the shelf on which a new memory is put, made if it is not there; in a piece."""
        key = (namespace, state, branch)
        if key not in self.shelves:
            hidden = not self.shown and is_replaceable(self.connection, key)
            name = hidden_branch(self.run_id, branch) if hidden else branch
            self.shelves[key] = ensure_shelf(self.connection, namespace, state, name)
        return self.shelves[key]

    def show(self) -> list[Any]:
        """Let what is hidden be seen where that can be done at once, in a piece; return the shelves where it can't."""
        crowded = [shelf for shelf in self.hidden_shelves() if not self.has_taken_place(shelf)]
        self.shelves.clear()
        self.shown = True
        return crowded

    def move_crowded(self, shelves: list[Any]) -> None:
        """Move what is still hidden to shelves on which much lies, piece by piece."""
        for shelf in shelves:
            target = (shelf["namespace"], shelf["state"], true_branch(shelf["branch"]))
            while self.move_some(shelf["id"], target):
                pass

    def hidden_shelves(self) -> list[Any]:
        """Return the shelves that are hidden; what upkeep put away meanwhile is on one of its own."""
        return fetch(self.connection, "arrival_shelves", branches=f"{hidden_branch(self.run_id, '')}*")

    def has_taken_place(self, shelf: Any) -> bool:
        """Let a hidden shelf take the place of the one it is for, if that can be; in a transaction."""
        key = (shelf["namespace"], shelf["state"], true_branch(shelf["branch"]))
        if not is_replaceable(self.connection, key):
            return False
        replace_shelf(self.connection, key, shelf["id"])
        return True

    def move_some(self, source: int, target: Key) -> bool:
        """Move some memories to a shelf on which much lies already; return whether more are left."""
        with self.piece() as until:
            shelf = ensure_shelf(self.connection, *target)
            rows = fetch(self.connection, "arrival_on_shelf", shelf=source, most=SMALL)
            for row in rows:
                run(self.connection, "arrival_put", id=row["id"], shelf=shelf)
                if time.perf_counter() > until:
                    break
            if not rows:
                run(self.connection, "arrival_shelf_drop", id=source)
        return bool(rows)


def is_replaceable(connection: Connection, key: Key) -> bool:
    """Return whether a shelf can make room for another: little lies on it, and no move names it."""
    found = fetch(connection, "shelf", namespace=key[0], state=key[1], branch=key[2])
    if not found:
        return True
    size = sum(found[0][tier] for tier in ("core", "strategic", "validated", "draft"))
    if size > SWAPPED or fetch(connection, "arrival_many_moves", most=MANY_MOVES)[0]["many"]:
        return False
    return not fetch(connection, "arrival_referred", shelf=found[0]["id"])[0]["referred"]


def replace_shelf(connection: Connection, key: Key, shelf: int) -> None:
    """Give a shelf the name of another, whose memories come to it.

    No shelf with core facts changes its name, so that these lie on a third one meanwhile.
    """
    namespace, state, branch = key
    found = fetch(connection, "shelf", namespace=namespace, state=state, branch=branch)
    leaving: list[int] = []
    if found:
        old = found[0]["id"]
        if found[0]["core"]:
            leaving.append(ensure_shelf(connection, namespace, state, f"{HIDDEN}\x1fcore\x1f{branch}"))
            put_all(connection, old, leaving[0], core=True)
        run(connection, "arrival_name", id=old, branch=f"{HIDDEN}\x1f{branch}")
        leaving.append(old)
    run(connection, "arrival_name", id=shelf, branch=branch)
    for each in leaving:
        put_all(connection, each, shelf)
        run(connection, "arrival_shelf_drop", id=each)


def put_all(connection: Connection, source: int, target: int, *, core: bool = False) -> None:
    """Put the memories of one shelf on another, or its core facts alone, in a transaction."""
    for row in fetch(connection, "arrival_on_shelf", shelf=source, most=-1):
        if not core or row["tier"] == "core":
            run(connection, "arrival_put", id=row["id"], shelf=target)


def begin_arrival(connection: Connection, highest: int, *, whole: bool, now: float) -> Arrival:
    """Begin a run in a transaction of the caller's, and set aside ids for as many memories.

    A file in which no memory ever was lets them keep their ids.
    """
    [begun] = fetch(connection, "run_begin", job=JOB, now=now)
    run(connection, "arrival_reserve_first")
    [there] = fetch(connection, "memory_next_id")
    empty = not connection.execute("SELECT 1 FROM memory LIMIT 1").fetchall()
    offset = 0 if empty else there["id"] - 1
    run(connection, "arrival_reserve", last=offset + highest)
    run(connection, "arrival_begin", run=begun["id"], first=offset + 1, last=offset + highest)
    run(connection, "arrival_mark", run=begun["id"])
    return Arrival(connection, begun["id"], offset, whole)


def end_arrival(arrival: Arrival, done: int, result: str, *, now: float) -> None:
    """End a run in a transaction of the caller's; one that changed nothing leaves no trace."""
    run(arrival.connection, "run_end", id=arrival.run_id, done=done, result=result, failed=0, now=now)
    run(arrival.connection, "arrival_mark", run=arrival.run_id)
    run(arrival.connection, "run_drop", id=arrival.run_id)


def note_change(connection: Connection, run_id: int, kind: str, changed: int, before: Any, after: Any) -> None:
    """Write down what an import changes of what was there, in the transaction that changes it."""
    run(
        connection,
        "arrival_change_add",
        run=run_id,
        kind=kind,
        changed=changed,
        before=json.dumps(before, ensure_ascii=False),
        after=json.dumps(after, ensure_ascii=False),
    )


@contextmanager
def hold_import_lock(db: Path) -> Iterator[None]:
    """Hold what says that an import is under way; the system lets go of it when the process ends, however it does.

    Raises:
        BusyFileError: Another process imports into this file, or takes an import back.
    """
    path = Path(f"{db}-import")
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if not locked(descriptor):
            raise BusyFileError("Another import into this file is under way, or is being taken back: wait for its end.")
        yield
    finally:
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
