"""What happens every day: doubt, purging where that is wished, and SQLite's care for itself and its file.

A job that belongs to a day is added to `JOBS`: it is called with the run it works for, reads with `held.read`, changes
a chunk at a time with `held.write`, and says in a few words what it did.
"""

import threading
from functools import partial

import anyio

from firmmem.database import Connection, open_connection, run
from firmmem.errors import DamagedFileError
from firmmem.memory.forget import dues, mark, purge_chunk, purgeable
from firmmem.memory.keys import CHUNK, DAY
from firmmem.memory.quarantine import check
from firmmem.memory.statistics import thin
from firmmem.settings import Settings
from firmmem.upkeep.held import Held, Job

ANALYSED = 400  # rows of an index that its statistics are estimated from
LOGGED = 90 * DAY  # for which runs are kept that can no longer be taken back
TOLD = 5  # faults that are told
STEPS = 100_000  # of SQLite's machine, between two looks at whether to go on


async def purge(held: Held) -> str:
    """Delete what was forgotten longer ago than the grace period, where there is one, and thin out old records."""
    await held.write(thin, now=held.clock())
    await held.write(run, "run_thin", before=held.clock() - LOGGED)
    due = await held.write(mark, held.job.name, now=held.clock())
    grace = held.database.settings.purge_after_days * DAY
    while grace:
        done = await held.write(purge_chunk, due.horizon - grace)
        held.count(done)
        if not done:
            break
    return f"{held.done} purged"


def purge_plan(connection: Connection, settings: Settings, now: float) -> str:
    """Return how many memories would be deleted."""
    grace = settings.purge_after_days * DAY
    count = len(purgeable(connection, dues(connection, "purge", now=now).horizon - grace)) if grace else 0
    return f"would purge {count}{' or more' if count == CHUNK else ''}"


async def anomalies(held: Held) -> str:
    """Set aside what is statistically wrong, and leave to a person what is not for a rule to decide."""
    done = await check(held, held.database.settings, now=held.clock(), run_id=held.run_id)
    held.count(len(done.set_aside))
    looked = sum(group.trust.n for group in done.groups)
    alerts = len(done.alerts)
    return f"{len(done.set_aside)} of {looked} set aside, {alerts} alert{'s' * (alerts != 1)}"


async def optimize(held: Held) -> str:
    """Let SQLite bring its statistics of the indexes up to date where they have changed much."""
    await held.write(run_optimize)
    return "done"


def run_optimize(connection: Connection) -> None:
    """Run SQLite's own maintenance, in a transaction."""
    connection.execute(f"PRAGMA analysis_limit = {ANALYSED}")
    connection.execute("PRAGMA optimize")


async def check_integrity(held: Held) -> str:
    """Check the file, on a connection of its own so that recalls don't wait."""
    stopped = threading.Event()
    look = partial(faults, held.database.settings, stopped)
    try:
        found = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
    finally:
        stopped.set()
    if found:
        raise DamagedFileError(
            f"{held.database.path} is damaged: {'; '.join(found)}. Stop its clients, keep the file and what lies "
            "beside it, and restore a backup."
        )
    return "ok"


def faults(settings: Settings, stopped: threading.Event) -> list[str]:
    """Return what SQLite finds wrong with the file, until it is told to stop."""
    connection = open_connection(settings, writes=False)
    try:
        connection.set_progress_handler(lambda: int(stopped.is_set()), STEPS)
        rows = connection.execute(f"PRAGMA integrity_check({TOLD})").fetchall()
    finally:
        connection.close()
    return [str(row[0]) for row in rows if row[0] != "ok"]


ANOMALIES = Job("anomalies", DAY, anomalies)
JOBS = (
    ANOMALIES,
    Job("purge", DAY, purge, purge_plan),
    Job("optimize", DAY, optimize),
    Job("integrity", DAY, check_integrity),
)
