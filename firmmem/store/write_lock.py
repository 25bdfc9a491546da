"""Turns: how the processes that write one file wait for each other.

SQLite's own waiting backs off to steps of 100 ms, so that whoever comes next overtakes whoever waits longest. Asking
again every few milliseconds takes the 99th percentile of a write among six processes from 540 to 190 ms
(`scripts/chaos.py turns`). No process holds anything that SQLite doesn't, so none that is stopped can freeze others
longer than SQLite would.

The side lock is for a library with the WAL bug (see `sqlite.affected`) among a WAL file's users: round each
transaction, so that no two write and checkpoint at once. It is advice: it is waited for only so long.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmmem.store.sqlite import Connection, Error, is_busy

FIRST_S = 0.001
LONGEST_S = 0.008  # between two tries
GROWTH = 1.3
SIDE_S = 2.0  # how long the side lock is waited for, longer than any transaction of ours
STUCK_S = 60.0  # how long nobody waits for it again once its holder has been found to be stuck

_chance = random.Random()  # noqa: S311 - no secret

_stuck_until: dict[str, float] = {}


def poll_until(attempt: Callable[[], bool], seconds: float) -> bool:
    """Try until it succeeds, every few milliseconds; return whether it did within so many seconds."""
    until = time.monotonic() + seconds
    pause = FIRST_S
    while not attempt():
        if time.monotonic() >= until:
            return False
        time.sleep(pause * (0.5 + _chance.random()))
        pause = min(LONGEST_S, pause * GROWTH)
    return True


def begin_write(connection: Connection, statement: str, seconds: float) -> None:
    """Begin a transaction that writes, when it is this process's turn.

    Raises:
        Error: SQLite's, when it still was not after so many seconds.
    """
    refusal: list[Error] = []

    def attempt() -> bool:
        try:
            connection.execute(statement)
        except Error as error:
            if not is_busy(error):
                raise
            refusal[:] = [error]
            return False
        return True

    connection.execute("PRAGMA busy_timeout = 0")
    try:
        if not poll_until(attempt, seconds):
            raise refusal[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


def lock_path(path: Path) -> Path:
    """Return the file that is the side lock; while it is there, all writers take it."""
    return Path(f"{path}-turn")


def make_lock_file(path: Path) -> None:
    """Make the side lock of a file, since this process's library has the WAL bug."""
    with suppress(OSError):
        os.close(os.open(lock_path(path), os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def side_lock(path: Path | None) -> Iterator[None]:
    """Hold the side lock of a file, if it has one; go on without it where its holder is stuck."""
    descriptor = open_lock(path)
    if descriptor is None:
        yield
        return
    try:
        wait_for_lock(str(path), descriptor)
        yield
    finally:
        os.close(descriptor)  # which lets go of the lock


def open_lock(path: Path | None) -> int | None:
    """Return a descriptor of the side lock, None where there is none."""
    if path is None or not os.path.exists(f"{path}-turn"):  # noqa: PTH110 - a Path costs more than the call
        return None
    try:
        return os.open(lock_path(path), os.O_RDWR)
    except OSError:
        return None


def wait_for_lock(name: str, descriptor: int) -> None:
    """Take the side lock, or give up on a holder that has stopped (a debugger, a laptop asleep)."""
    stuck = time.monotonic() < _stuck_until.get(name, 0.0)
    if poll_until(lambda: locked(descriptor), 0.0 if stuck else SIDE_S):
        _stuck_until.pop(name, None)
    elif not stuck:
        _stuck_until[name] = time.monotonic() + STUCK_S


if sys.platform == "win32":

    def locked(descriptor: int) -> bool:
        """Try to lock the first byte; return whether it worked."""
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def locked(descriptor: int) -> bool:
        """Try to lock the file; return whether it worked, or can't be done at all here."""
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True
