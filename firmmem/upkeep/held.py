"""A run of a job: claimed for one process, claimed again in every transaction, and let go at its end.

There is no leader. Whoever finds a job due claims it; the others find it claimed. A claim whose process died lapses,
and another process begins the job again: what a job does follows from the rows and the time alone, so doing it twice
is harmless.
"""

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

import anyio

from firmmem.memory.rows.chunks import BEGINNING, change_some
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.statements import Connection, fetch, run

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

log = logging.getLogger(__name__)

HOUR = 3_600.0
PAUSE = 0.02  # seconds between transactions at least, in which others write
SHARE = 1.0  # of the time that the last one took, where that is longer: on a slow disk others need more time too
LEASE = 300.0  # seconds after which a claim that is not renewed lapses
SKEW = 60.0  # seconds by which the clocks of processes may differ
LOOKED = 2_000  # rows looked at in one go, some milliseconds in which nobody else reads
COUNTED = 100_000  # rows counted at most for a plan


class TakenOverError(Exception):
    """Another process has taken this run's job over."""


@dataclass(frozen=True)
class Job:
    """A piece of periodic work; `period` is in seconds, `work` returns what it did, `plan` what it would do."""

    name: str
    period: float
    work: Callable[["Held"], Awaitable[str]]
    plan: Callable[[Connection, Settings, float], str] | None = None


@dataclass
class Held:
    """One run of a job, for as long as its process holds it."""

    database: Database
    job: Job
    clock: Callable[[], float]
    run_id: int
    began_at: float
    done: int = 0  # memories changed
    progress: Callable[[int], None] = field(default=lambda _: None)

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the reading connection, then let others read."""
        result = await self.database.read(function, *args, **kwargs)
        await anyio.sleep(PAUSE)
        return result

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Claim the job again and call `function`, in one transaction; then let others write.

        Raises:
            TakenOverError: The claim had lapsed, and another process has the job now.
        """

        def claimed(connection: Connection) -> T:
            if not run(connection, "job_hold", name=self.job.name, run=self.run_id, now=self.clock()):
                raise TakenOverError
            return function(connection, *args, **kwargs)

        began = time.perf_counter()
        result = await self.database.write(claimed)
        await anyio.sleep(pause(time.perf_counter() - began))
        return result

    async def walk(self, shelves: str, name: str, order: str, **parameters: Any) -> AsyncGenerator[list[Any]]:
        """Yield the rows of sql/`name`.sql on each of the shelves of sql/`shelves`.sql, some at a time.

        They are ordered by a column and their id. However many they are, reading makes no other process wait.
        """
        for shelf in await self.read(fetch, shelves, **parameters):
            after: tuple[float, int] | None = BEGINNING
            while after:
                place = parameters | {"shelf": shelf["id"], "after": after[0], "after_id": after[1], "chunk": LOOKED}
                rows = await self.database.read(fetch, name, **place)
                yield rows
                after = None
                if len(rows) == LOOKED:  # thousands of shelves with little on them need no pauses
                    after = (rows[-1][order], rows[-1]["id"])
                    await anyio.sleep(PAUSE)

    async def each(
        self,
        items: Sequence[S],
        change: Callable[Concatenate[Connection, S, P], int],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> int:
        """Call `change` for one item after another, as many a transaction as it may last; return how many it changed.

        It looks again whether an item is still to be changed: others wrote since that was read.
        """
        start = total = 0
        while start < len(items):
            seen, changed = await self.write(change_some, items[start:], change, *args, **kwargs)
            start, total = start + seen, total + changed
        return total

    def count(self, done: int) -> None:
        """Add to the memories changed."""
        self.done += done
        self.progress(done)


def plan_rows(connection: Connection, shelves: str, name: str, **parameters: Any) -> Iterator[Any]:
    """Yield the rows that `Held.walk` would, of each shelf no more than are counted for a plan."""
    beginning: dict[str, Any] = {"after": BEGINNING[0], "after_id": BEGINNING[1], "chunk": COUNTED}
    for shelf in fetch(connection, shelves, **parameters):
        yield from fetch(connection, name, shelf=shelf["id"], **beginning, **parameters)


def pause(took: float) -> float:
    """Return for how many seconds others may write after a transaction that took so many."""
    return max(PAUSE, SHARE * took)


async def perform_job(
    database: Database,
    job: Job,
    clock: Callable[[], float],
    *,
    forced: bool = False,
    progress: Callable[[int], None] | None = None,
) -> str | None:
    """Run a job if it is due, or `forced`, and no other process is at it; return what it did, or None.

    Raises:
        UnavailableError: The file can't be written.
    """
    now = clock()
    run_id = await database.write(claim_job, job, forced=forced, now=now)
    if run_id is None:
        return None
    held = Held(database, job, clock, run_id, now)
    if progress:
        held.progress = progress
    try:
        result = await job.work(held)
    except TakenOverError:
        return None
    except Exception as error:  # one job's fault must not end the others, nor the server
        log.warning("upkeep: %s failed: %s", job.name, error, exc_info=log.isEnabledFor(logging.DEBUG))
        await database.write(end_job, held, f"failed: {error}", failed=True, now=clock())
        return f"failed: {error}"
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await database.write(release_job, held, now=clock())
        raise
    await database.write(end_job, held, result, now=clock())
    return result


def is_due(connection: Connection, job: Job, *, now: float) -> bool:
    """Return whether a job's time has come and nobody is at it; a last run ahead of the clock is no reason to wait."""
    rows = fetch(connection, "job", name=job.name)
    return not rows or (is_free(rows[0], now=now) and not is_within(rows[0]["last_run"], job.period, now=now))


def is_free(row: Any, *, now: float) -> bool:
    """Return whether no living process holds a job."""
    return row["run"] is None or not is_within(row["held_at"], LEASE, now=now)


def is_within(moment: float | None, seconds: float, *, now: float) -> bool:
    """Return whether a moment is less than `seconds` back, and not ahead by more than clocks differ."""
    return moment is not None and -SKEW <= now - moment < seconds


def claim_job(connection: Connection, job: Job, *, forced: bool, now: float) -> int | None:
    """Claim a job for a new run, in a transaction; return the run's number, or None where it is not to be had."""
    rows = fetch(connection, "job", name=job.name)
    if rows and not is_free(rows[0], now=now):
        return None
    if not forced and not is_due(connection, job, now=now):
        return None
    if rows and rows[0]["run"] is not None:
        run(
            connection,
            "run_end",
            id=rows[0]["run"],
            done=0,
            result="its process ended before it did",
            failed=1,
            now=now,
        )
    [begun] = fetch(connection, "run_begin", job=job.name, now=now)
    run(connection, "job_take", name=job.name, run=begun["id"], holder=uuid4().hex, now=now)
    return int(begun["id"])


def end_job(connection: Connection, held: Held, result: str, *, failed: bool = False, now: float) -> None:
    """Let a job go, and keep its run where it changed something or failed; in a transaction."""
    if run(connection, "job_end", name=held.job.name, run=held.run_id, began_at=held.began_at, result=result):
        run(connection, "run_end", id=held.run_id, done=held.done, result=result, failed=int(failed), now=now)
        run(connection, "run_drop", id=held.run_id)


def release_job(connection: Connection, held: Held, *, now: float) -> None:
    """Let a job go in the middle, so that another process may begin it at once; in a transaction."""
    if run(connection, "job_free", name=held.job.name, run=held.run_id):
        run(connection, "run_end", id=held.run_id, done=held.done, result="stopped", failed=0, now=now)
        run(connection, "run_drop", id=held.run_id)
