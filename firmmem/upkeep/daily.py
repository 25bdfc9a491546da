"""What happens every day: the anomaly check, purging where that is wished, and SQLite's care for itself and its file.

A job that belongs to a day is added to `JOBS`: it is called with the run it works for, reads with `held.read`, changes
a chunk at a time with `held.write`, and says in a few words what it did.
"""

import math
import os
import threading
from contextlib import aclosing
from functools import partial

import anyio

from firmmem.errors import DamagedFileError
from firmmem.memory.life.forget import due_now, mark_due
from firmmem.memory.life.forget import purge_memory as purge_one
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.trust.quarantine import run_check
from firmmem.memory.trust.statistics import FIRST, Record, drop_record, find_spare
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch, run
from firmmem.upkeep.held import LOOKED, Held, Job, plan_rows

ANALYSED = 400  # rows of an index that its statistics are estimated from
ONLY_SAY = 0x03  # which tables would be analysed: one by one they make others wait less
LOOKED_BACK = 14 * DAY  # for which sessions are kept that wrote nothing
LOGGED = 90 * DAY  # for which runs are kept that can no longer be taken back
REPORTED = 5  # faults that are named
STEPS = 20_000  # of SQLite's machine, some milliseconds, between two looks at whether to go on
TRIES = 10  # at a check that gives way to others
QUIET = 15.0  # seconds between them


async def purge_old(held: Held) -> str:
    """Delete what was forgotten longer ago than the grace period, where there is one, and thin out old records."""
    await thin_statistics(held)
    await thin_runs(held)
    await thin_sessions(held)
    due = await held.write(mark_due, held.job.name, now=held.clock())
    grace = held.database.settings.purge_after_days * DAY
    horizon = due.horizon - grace
    if grace and horizon > -math.inf:
        async with aclosing(held.walk("purgeable_shelves", "purgeable", "state_at", horizon=horizon)) as pages:
            async for rows in pages:
                ids = [row["id"] for row in rows if not row["followed"]]
                held.count(await held.each(ids, purge_one, horizon))
    return f"{held.done} purged"


async def thin_statistics(held: Held) -> None:
    """Keep fewer records of what the tiers were like long ago."""
    after: Record | None = FIRST
    while after:
        records, after = await held.read(find_spare, after, now=held.clock(), most=LOOKED)
        await held.each(records, drop_record)


async def thin_runs(held: Held) -> None:
    """Drop old runs that have nothing left to be taken back."""
    before, rows = held.clock() - LOGGED, [{"id": 0}]
    while rows:
        rows = await held.read(fetch, "run_records", before=before, after=rows[-1]["id"], chunk=LOOKED)
        await held.each([row["id"] for row in rows if row["spare"]], drop_run)


def drop_run(connection: Connection, run_id: int) -> int:
    """Delete one run, in a transaction."""
    return run(connection, "run_delete", id=run_id)


async def thin_sessions(held: Held) -> None:
    """Drop sessions of long ago that wrote nothing and were given nothing: recalls alone begin some every day."""
    before, rows = held.clock() - LOOKED_BACK, [{"id": 0}]
    while rows:
        rows = await held.read(fetch, "session_records", before=before, after=rows[-1]["id"], chunk=LOOKED)
        await held.each([row["id"] for row in rows if row["spare"]], drop_session)


def drop_session(connection: Connection, session_id: int) -> int:
    """Delete one session, in a transaction."""
    return run(connection, "session_delete", id=session_id)


def purge_plan(connection: Connection, settings: Settings, now: float) -> str:
    """Return how many memories would be deleted."""
    grace = settings.purge_after_days * DAY
    horizon = due_now(connection, "purge", now=now).horizon - grace if grace else -math.inf
    rows = plan_rows(connection, "purgeable_shelves", "purgeable", horizon=horizon)
    return f"would purge {sum(not row['followed'] for row in rows)}"


async def check_anomalies(held: Held) -> str:
    """Set aside what is statistically wrong, and leave to a person what is not for a rule to decide."""
    done = await run_check(held, held.database.settings, now=held.clock(), run_id=held.run_id)
    held.count(len(done.set_aside))
    looked = sum(group.trust.n for group in done.groups)
    alerts = len(done.alerts)
    return f"{len(done.set_aside)} of {looked} set aside, {alerts} alert{'s' * (alerts != 1)}"


async def optimize(held: Held) -> str:
    """Bring SQLite's statistics of the indexes up to date where it says that they have changed much."""
    for name in await held.write(find_unanalysed):
        await held.write(analyse_one, name)
    return "done"


def find_unanalysed(connection: Connection) -> list[str]:
    """Return the indexes, and tables without one, that SQLite would analyse by itself; the connection must write."""
    found: list[str] = []
    for row in connection.execute(f"PRAGMA optimize({ONLY_SAY})").fetchall():
        table = row[0].removesuffix('"').rpartition('"')[2]
        indexes = connection.execute("SELECT name FROM pragma_index_list(?)", (table,)).fetchall()
        found += [index["name"] for index in indexes] or [table]
    return found


def analyse_one(connection: Connection, name: str) -> None:
    """Analyse an index or a table, in a transaction."""
    connection.execute(f"PRAGMA analysis_limit = {ANALYSED}")
    connection.execute(f'ANALYZE main."{name}"')


async def check_integrity(held: Held) -> str:
    """Check the file, on a connection of its own so that recalls don't wait."""
    stopped = threading.Event()
    look = partial(find_faults, held.database.settings, stopped)
    found = None
    try:
        for _ in range(TRIES):
            found = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
            if found is not None:
                break
            await anyio.sleep(QUIET)
    finally:
        stopped.set()
    if found is None:
        return "not checked: others went on writing, and would have had to wait (firmmem doctor checks)"
    if found:
        raise DamagedFileError(
            f"{held.database.path} is damaged: {'; '.join(found)}. Stop its clients, keep the file and what is "
            "next to it, and restore a backup."
        )
    return "ok"


def find_faults(settings: Settings, stopped: threading.Event) -> list[str] | None:
    """Return what SQLite finds wrong with the file, None where it is asked to stop or another process would write.

    Without a WAL a writer waits for every reader; that one does shows by the rollback journal.
    """
    connection = open_connection(settings, writes=False)
    journal = f"{connection.path}-journal"
    try:
        connection.set_progress_handler(lambda: int(stopped.is_set() or os.path.exists(journal)), STEPS)  # noqa: PTH110
        rows = connection.execute(f"PRAGMA integrity_check({REPORTED})").fetchall()
    except Error as error:
        if "interrupt" not in str(error):
            raise
        return None
    finally:
        connection.close()
    return [str(row[0]) for row in rows if row[0] != "ok"]


ANOMALIES = Job("anomalies", DAY, check_anomalies)
JOBS = (
    ANOMALIES,
    Job("purge", DAY, purge_old, purge_plan),
    Job("optimize", DAY, optimize),
    Job("integrity", DAY, check_integrity),
)
