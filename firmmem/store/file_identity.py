"""The file that a connection holds open: whether its name still means it, and how it is let go."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from firmmem.errors import ReplacedFileError
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection


def note_identity(connection: Connection, name: Path, path: Path, *, writable: bool) -> None:
    """Note what a connection holds open; `name` is the path as the settings have it, perhaps a link."""
    wal = Path(f"{path}-wal")
    connection.path, connection.read_only = path, not writable
    connection.file, connection.wal = file_id(path), file_id(wal)
    connection.watched = ((str(name), connection.file),)
    if connection.wal:
        connection.watched += ((str(wal), connection.wal),)


def can_write(path: Path) -> bool:
    """Return whether this user may write a file and the files that SQLite makes beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def other_names_warning(path: Path) -> str:
    """Return what is wrong where a file has other names (hard links): each would have a WAL of its own; else nothing.

    What is written under one name is not seen under another, and one of them overwrites it.
    """
    try:
        found = path.stat()
    except OSError:  # which opening it tells
        return ""
    count = found.st_nlink
    if count < 2 or not stat.S_ISREG(found.st_mode):
        return ""
    return (
        f"{path} has {count} names (hard links), and what is written under one is lost under another: make it a file "
        "of its own with `firmmem backup`, and remove the other names"
    )


def file_id(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other that has or had its name, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def has_moved(connection: Connection) -> bool:
    """Return whether what a connection holds open no longer is the file, or can be written by now.

    Asked before every call: names are plain strings, so that it costs a few microseconds.
    """
    if connection.path is None:
        return False
    if connection.lost or (connection.read_only and can_write(connection.path)):
        return True
    try:
        for name, id_ in connection.watched:
            found = os.stat(name)  # noqa: PTH116 - a Path costs more than the call
            if (found.st_dev, found.st_ino) != id_:
                return True
    except OSError:
        return True
    return False


def close_moved(connection: Connection) -> None:
    """Close a file that was moved or replaced, with all that was written to it inside.

    Raises:
        ReplacedFileError: Another process still holds it open, so that SQLite would read its WAL into the new file.
    """
    path = connection.path
    if path is None or connection.lost:
        return
    if not connection.read_only:
        with suppress(Error):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    wal = Path(f"{path}-wal")
    if path.exists() and file_id(path) != connection.file and file_size(wal) and connection.wal == file_id(wal):
        raise ReplacedFileError(
            f"{path} was replaced while it was open, and another program still holds what was there: end every client "
            "of it and start them again; nothing was written. `firmmem backup restore` replaces a file safely."
        )
    connection.close()
    connection.lost = True


def file_size(path: Path) -> int:
    """Return how many bytes a file has, 0 where there is none."""
    return path.stat().st_size if path.exists() else 0
