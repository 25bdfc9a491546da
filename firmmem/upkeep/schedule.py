"""The loop that looks what is due, for as long as a server runs, and does it where no other process has."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio

from firmmem.errors import ReadOnlyFileError, UnavailableError
from firmmem.memory.hand.pins import check_if_changed
from firmmem.memory.life.review import Reviews
from firmmem.store.database import Database
from firmmem.store.statements import Connection
from firmmem.upkeep import daily, hourly
from firmmem.upkeep.held import Job, is_due, perform_job

if TYPE_CHECKING:
    from firmmem.memory.recall.meaning import Meaning

log = logging.getLogger(__name__)

FIRST = 2.0  # seconds after the file is open: a client that shakes hands comes first
EVERY = 60.0  # seconds between looks at what is due

JOBS: tuple[Job, ...] = (*hourly.JOBS, *daily.JOBS)


async def keep_up(
    database: Database, reviews: Reviews, clock: Callable[[], float], meaning: "Meaning | None" = None
) -> None:
    """Do what is due, now and then, for as long as the server runs."""
    await anyio.sleep(FIRST)
    while True:
        try:
            await do_due_work(database, reviews, clock)
            await check_if_changed(database, meaning, now=clock())
        except ReadOnlyFileError:
            return  # recall goes on; what is due waits for a process that can write
        except UnavailableError as error:
            log.warning("upkeep waits: %s", error)
        await anyio.sleep(EVERY)


async def do_due_work(database: Database, reviews: Reviews, clock: Callable[[], float]) -> None:
    """Do what is due now; reviews that wait in memory come first, since they keep memories from being forgotten.

    Raises:
        UnavailableError: The file can't be used.
    """
    due = await database.read(due_jobs, now=clock())
    if due:
        await reviews.flush()
    for job in due:
        result = await perform_job(database, job, clock)
        if result:
            log.info("upkeep: %s: %s", job.name, result)


def due_jobs(connection: Connection, *, now: float) -> list[Job]:
    """Return the jobs whose time has come."""
    return [job for job in JOBS if is_due(connection, job, now=now)]
