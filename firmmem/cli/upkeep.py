"""`firmmem upkeep` and `firmmem undo`: the periodic work by hand, and taking it back."""

import time
from collections.abc import Iterable, Iterator
from functools import partial

import anyio
from rich.console import Console
from rich.progress import Progress

from firmmem.cli.core import open_for_reading
from firmmem.memory.exchange.arrival import JOB as IMPORT
from firmmem.memory.exchange.arrival import hold_import_lock
from firmmem.memory.exchange.take_back import TakingBack as TakingImportBack
from firmmem.memory.hand.pins import check_if_changed
from firmmem.memory.hand.undo import TakingBack, find_last_action
from firmmem.memory.life.undo import require_undoable
from firmmem.memory.recall.meaning import build_meaning
from firmmem.settings import Settings
from firmmem.store.database import open_database
from firmmem.store.file_errors import explain_file_errors
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction
from firmmem.upkeep.held import is_due, pause, perform_job
from firmmem.upkeep.schedule import JOBS


def plan_lines(settings: Settings, *, forced: bool) -> Iterator[str]:
    """Yield what the work would do, without doing it."""
    now = time.time()
    with open_for_reading(settings) as connection:
        for job in JOBS:
            if not forced and not is_due(connection, job, now=now):
                yield f"{job.name}: not due"
            else:
                yield f"{job.name}: {job.plan(connection, settings, now) if job.plan else 'would run'}"


def do_work(settings: Settings, *, forced: bool) -> Iterable[str]:
    """Do the work that is due, or all of it, and return what it did."""
    return anyio.run(run_jobs, settings, forced)


async def run_jobs(settings: Settings, forced: bool) -> list[str]:
    """Do one job after another, with a bar on stderr that shows how far it has come."""
    lines = []
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        async with open_database(settings) as database:
            for job in JOBS:
                step = bar.add_task(job.name, total=None)
                result = await perform_job(database, job, time.time, forced=forced, progress=partial(bar.advance, step))
                bar.update(step, total=1, completed=1)
                lines.append(f"{job.name}: {result or 'not due, or another process is at it'}")
            lines += [
                f"pin {each.pin['id']} ({each.pin['question']}) FAILS: {each.cause}"
                for each in await check_if_changed(database, build_meaning(settings), now=time.time())
                if each.cause
            ]
    return lines


def undo_run(settings: Settings, run_id: int) -> Iterator[str]:
    """Take a run back in short transactions, and yield what became of it; 0 is what a person did last."""
    connection = open_connection(settings, by_person=True)
    total = 0
    try:
        with explain_file_errors(settings.db):
            run_id = run_id or find_last_action(connection)
            run = require_undoable(connection, run_id)
            if run["job"] == IMPORT:
                yield from undo_import(settings, connection, run_id)
                return
            undoing, more = TakingBack(run_id, settings), True
            while more:
                began = time.perf_counter()
                with transaction(connection):
                    count, lines, more = undoing.chunk(connection, now=time.time())
                total += count
                yield from lines
                time.sleep(pause(time.perf_counter() - began) if more else 0)
    finally:
        connection.close()
    yield f"run {run_id} ({run['job']}): {total} taken back"


def undo_import(settings: Settings, connection: Connection, run_id: int) -> Iterator[str]:
    """Take an import back in short transactions, and yield what became of it."""
    with hold_import_lock(settings.db):
        taking_back = TakingImportBack(connection, run_id)
        yield from taking_back.work(time.time)
    yield f"run {run_id} ({IMPORT}): {taking_back.count} taken back"
