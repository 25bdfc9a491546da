"""Forgetting: drafts that faded are put away, a few at a time, and never many because of a clock that is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.memory.rows.chunks import BEGINNING, take_while_brief
from firmmem.memory.rows.moves import KEPT
from firmmem.memory.rows.ranking_keys import CHUNK, DAY, Life, compute_keys, keys_are_current, wanted_keying
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings

CAUSE = "forgotten"
GAP = 7 * DAY  # without a run for so long the clock may have jumped: the next run only marks what is due
WAIT = DAY  # after which what was marked, and is still due, is put away
SHARE = 0.2  # of a namespace's memories that are forgotten in a day at most
SKEW = 60.0  # seconds by which clocks may differ


@dataclass(frozen=True)
class Due:
    """Up to when what is due may be done now, and the mark that the next run finds."""

    horizon: float
    marked_at: float | None


def due_since(last_run: float | None, marked_at: float | None, *, now: float) -> Due:
    """Return what may be done now by a job that last ran at `last_run`.

    After a gap, which a clock that jumped ahead looks like, nothing is: `now` is marked. What was due at the mark,
    and still is a day later, is done then, and everything else from then on.
    """
    if marked_at is not None and marked_at > now + SKEW:
        marked_at = None  # the clock was set back: what seemed due at the mark is not
    waited = marked_at is not None and now - marked_at >= WAIT
    if last_run is None or now - last_run > GAP:
        return Due(marked_at if waited and marked_at is not None else -math.inf, now)
    if marked_at is None or waited:
        return Due(now, None)
    return Due(-math.inf, marked_at)


def due_now(connection: Connection, job: str, *, now: float) -> Due:
    """Return what may be done now by a job, as the file knows it."""
    rows = fetch(connection, "job", name=job)
    return due_since(rows[0]["last_run"], rows[0]["marked_at"], now=now) if rows else due_since(None, None, now=now)


def mark_due(connection: Connection, job: str, *, now: float) -> Due:
    """Return what may be done now, and note the mark for the next run, in a transaction."""
    due = due_now(connection, job, now=now)
    run(connection, "job_mark", name=job, marked_at=due.marked_at)
    return due


def due_shelves(connection: Connection, horizon: float) -> list[Any]:
    """Return the shelves on which drafts have faded."""
    return fetch(connection, "due_shelves", horizon=horizon) if horizon > -math.inf else []


def forgettable_counts(connection: Connection, *, now: float) -> dict[str, int]:
    """Return how many memories of each namespace may be forgotten now: a fifth of it a day, and one at least."""
    room = {}
    for row in fetch(connection, "namespace_sizes", since=now - DAY, now=now + SKEW):
        most = max(1, math.floor(SHARE * (row["size"] + row["forgotten"])))
        room[row["namespace"]] = max(0, most - row["forgotten"])
    return room


@dataclass
class Forgetting:
    """One run over one shelf: where it has come, and how many it may still put away."""

    shelf: int
    namespace: str
    branch: str
    horizon: float
    room: int
    after: tuple[float, int] = BEGINNING

    def chunk(self, connection: Connection, *, run_id: int, now: float) -> tuple[int, bool]:
        """Put the next ones away, in a transaction; return how many, and whether more may be due."""
        rows = due_rows(connection, self.shelf, self.horizon, self.after, now=now)
        archived = ensure_shelf(connection, self.namespace, "archived", self.branch) if rows and self.room else 0
        done = 0
        for row in take_while_brief(rows):
            if not self.room:
                return done, False
            self.after = (row["fades_at"], row["id"])
            if not row["kept"]:
                move_to_shelf(connection, row, archived, now=now, cause=CAUSE, run_id=run_id)
                self.room -= 1
                done += 1
        return done, bool(rows) and (len(rows) == CHUNK or self.after[1] != rows[-1]["id"])


def due_rows(
    connection: Connection, shelf: int, horizon: float, after: tuple[float, int], *, now: float, most: int = CHUNK
) -> list[Any]:
    """Return the next drafts of a shelf that have faded, also those that a recent move keeps."""
    return fetch(
        connection,
        "due",
        shelf=shelf,
        horizon=horizon,
        after=after[0],
        after_id=after[1],
        kept_since=now - KEPT,
        chunk=most,
    )


def fading_drafts(
    connection: Connection, namespace: str, settings: Settings, *, until: float, now: float
) -> Iterator[tuple[float, Any]]:
    """Yield the drafts of a namespace that are forgotten until a moment unless they are used, and when, in order.

    Half-lives are those of the settings, also where the file's keys have not been brought to them yet.
    """
    if keys_are_current(connection, settings):
        rows = fetch(connection, "forecast", namespace=namespace, until=until, kept=KEPT)
        fading = [(row["fades_at"], row) for row in rows]
    else:
        keying = wanted_keying(settings)
        rows = fetch(connection, "forecast_drafts", namespace=namespace, kept=KEPT)
        fading = [(compute_keys(Life.of(row), keying)["fades_at"] or 0.0, row) for row in rows]
    found = [(max(now, fades_at, row["kept_until"] or 0.0), row) for fades_at, row in fading]
    yield from sorted(((at, row) for at, row in found if at <= until), key=lambda pair: (pair[0], pair[1]["id"]))


def purge_memory(connection: Connection, memory_id: int, horizon: float) -> int:
    """Delete a memory if it still is one that was forgotten until a moment, in a transaction; return whether it was."""
    return run(connection, "purge", id=memory_id, horizon=horizon)
