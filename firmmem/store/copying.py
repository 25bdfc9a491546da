"""Copies of the file: all of it, as it is at one moment, in a new file that is compared with it."""

import os
from contextlib import suppress
from pathlib import Path

from firmmem.errors import BusyFileError, DamagedFileError, UnavailableError
from firmmem.store.opening import hold_alone
from firmmem.store.statements import Connection, transaction

COUNTED = ("memory", "shelf", "goal", "vote", "exposure")


def copy_file(source: Connection, copy: Path, journal: str = "DELETE") -> dict[str, int]:
    """Copy a file to a new one that only its owner can read; with the usual `journal` nothing lies beside it."""
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        raise UnavailableError(f"{copy} is there already, and is kept: name a new file.") from None
    counts = fill_copy(copy, source, journal)
    sync_folder(copy.parent)
    return counts


def fill_copy(copy: Path, source: Connection, journal: str) -> dict[str, int]:
    """Copy a file, in one view of it, into an empty one, and hold the two equal.

    Raises:
        BusyFileError: It is empty no longer, or another process has it open; it was left as it is.
    """
    with hold_alone(copy) as target:
        if target.execute("SELECT 1 FROM sqlite_master").fetchall():
            raise BusyFileError(f"{copy} was begun by another process: end every client that uses it, and try again.")
        try:
            with transaction(source, "BEGIN"):
                target.execute("PRAGMA synchronous = FULL")
                counts = count_rows(source)
                source.backup(target)
                target.execute(f"PRAGMA journal_mode = {journal}")
                check_copy(target, counts)
        except BaseException:
            for leftover in (copy, Path(f"{copy}-journal"), Path(f"{copy}-wal"), Path(f"{copy}-shm")):
                leftover.unlink(missing_ok=True)
            raise
    return counts


def count_rows(connection: Connection) -> dict[str, int]:
    """Return how many rows a file's main tables have."""
    return {
        name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - names of ours
        for name in COUNTED
    }


def check_copy(copy: Connection, counts: dict[str, int]) -> None:
    """Hold a copy to SQLite's integrity check and to the rows it should have.

    Raises:
        DamagedFileError: It fails either.
    """
    said = [row[0] for row in copy.execute("PRAGMA integrity_check(5)")]
    if said != ["ok"]:
        raise DamagedFileError(f"The copy fails SQLite's integrity check ({said[0]}): it was not kept.")
    if count_rows(copy) != counts:
        raise DamagedFileError("The copy has other rows than the file: it was not kept.")


def sync_folder(folder: Path) -> None:
    """Let a new name outlive a loss of power, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
