"""One job of upkeep in a process of its own, as a server runs it, and what it used.

    python -m benching.job FILE NAME

Says `ready` once the file is open, begins at the first line on stdin, and ends with its figures as JSON.
"""

import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio
import psutil

from benching import due
from firmmem.cli.upkeep import undo_run
from firmmem.cli.votes import revoke_all_votes
from firmmem.store.database import Database, open_database
from firmmem.store.statements import Connection
from firmmem.upkeep.held import perform_job
from firmmem.upkeep.rekey import bring_keys_up_to_date
from firmmem.upkeep.schedule import JOBS

BY_NAME = {job.name: job for job in JOBS}
HOURLY = ("tiers", "forget", "statistics")
UNDO, REVOKE, REKEY, REKEY_AGAIN = "undo", "revoke", "rekey", "rekey again"
NAMES = (
    *("tiers", "forget", UNDO, "statistics", "merge", "anomalies", REVOKE, "purge", "optimize", "integrity"),
    *(REKEY, REKEY_AGAIN),
)

Work = Callable[[Database], Awaitable[tuple[str, int]]]  # what it did in words, and how many memories it went through


@dataclass(frozen=True)
class Used:
    """What a job did and used: seconds, and megabytes of memory beyond those before it."""

    said: str
    memories: int
    seconds: float
    cpu: float
    locks: int  # transactions that wrote
    longest_lock: float  # from having the write lock until the commit had returned
    longest_lock_cpu: float  # of these the processor's
    more_mb: float


def watched() -> list[tuple[float, float]]:
    """Return a list to which every transaction that writes adds the seconds for which it held the lock, and their CPU.

    That is until the commit has returned, so with what SQLite then copies from the WAL, when others can write again.
    """
    took: list[tuple[float, float]] = []
    began: dict[int, tuple[float, float]] = {}
    plain = Connection.execute

    def execute(self: Connection, statement: str, *arguments: object) -> object:
        result = plain(self, statement, *arguments)
        if statement == "BEGIN IMMEDIATE":
            began[id(self)] = (time.perf_counter(), time.thread_time())
        elif statement in ("COMMIT", "ROLLBACK") and id(self) in began:
            wall, cpu = began.pop(id(self))
            took.append((time.perf_counter() - wall, time.thread_time() - cpu))
        return result

    Connection.execute = execute  # type: ignore[method-assign]
    return took


def work_of(name: str) -> Work:
    """Return what a name stands for."""
    if name in BY_NAME:
        return lambda database: by_upkeep(database, name)
    return {UNDO: undoing, REVOKE: revoking}.get(name, rekeying)


async def by_upkeep(database: Database, name: str) -> tuple[str, int]:
    changed: list[int] = []
    said = await perform_job(database, BY_NAME[name], time.time, forced=True, progress=changed.append)
    return str(said), sum(changed) or await memories(database)


async def undoing(database: Database) -> tuple[str, int]:
    """Take the last run of forgetting back, by the command's own function."""
    [(run,)] = await database.read(
        lambda connection: connection.execute(
            "SELECT max(id) FROM run WHERE job = 'forget' AND done > 0 AND undone_at IS NULL"
        ).fetchall()
    )
    lines = await anyio.to_thread.run_sync(lambda: list(undo_run(database.settings, run)))
    said = lines[-1].rpartition(": ")[2]
    return said, int(said.split()[0])


async def revoking(database: Database) -> tuple[str, int]:
    """Take back a client's votes, by the command's own function."""
    found = await anyio.to_thread.run_sync(lambda: list(revoke_all_votes(database.settings, due.LIAR, "", "", "")))
    return f"{sum(each.votes for each in found)} votes taken back", len(found)


async def rekeying(database: Database) -> tuple[str, int]:
    await bring_keys_up_to_date(database)
    return "keys follow the settings", await memories(database)


async def memories(database: Database) -> int:
    [(count,)] = await database.read(lambda connection: connection.execute("SELECT count(*) FROM memory").fetchall())
    return int(count)


async def used(file: Path, name: str) -> Used:
    """Do a job when told to, and return what it used."""
    took = watched()
    async with open_database(due.settings_of(file, slower=name in (REKEY, REKEY_AGAIN))) as database:
        if name == "optimize":  # looks after what its connection has asked
            for other in HOURLY:
                await by_upkeep(database, other)
        print("ready", flush=True)
        sys.stdin.readline()
        took.clear()
        before = psutil.Process().memory_info().rss
        began, cpu = time.perf_counter(), time.process_time()
        said, count = await work_of(name)(database)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        longest = max(took, default=(0.0, 0.0))
        return Used(said, count, seconds, cpu, len(took), *longest, max(0.0, peak() - before) / 1e6)


def peak() -> float:
    """Return the most memory in bytes that this process has had, or what it has now where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        [line] = [each for each in status.read_text().splitlines() if each.startswith("VmHWM")]
        return float(line.split()[1]) * 1024
    now = psutil.Process().memory_info()
    return float(getattr(now, "peak_wset", now.rss))


def main(file: str, name: str) -> None:
    logging.disable(logging.WARNING)  # alerts of the daily check are no figures
    print(json.dumps(asdict(anyio.run(used, Path(file), name))))


if __name__ == "__main__":
    main(*sys.argv[1:])
