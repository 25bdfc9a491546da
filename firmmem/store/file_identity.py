"""The file that a connection holds open: what tells it from any other, and what changed of it since it was opened."""

import os
import stat
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from firmmem.store.statements import Connection, FileId


class Change(Enum):
    """What happened to a file under an open connection."""

    REPLACED = "another file has its name, or none has"
    COMPANION = "its -wal or -shm was deleted or replaced"
    WRITABLE = "it could not be written, and now can"


@dataclass(frozen=True)
class Look:
    """One look at the names of a file and its companions; nothing is opened for it."""

    ids: tuple[FileId | None, ...]
    stamps: tuple[tuple[int, int] | None, ...]  # size, and when it was last written
    names: int  # hard links of the file


def note_identity(connection: Connection, name: Path, path: Path, *, writable: bool) -> None:
    """Note what a connection holds open; `name` is the path as the settings have it, perhaps a link."""
    connection.path, connection.read_only = path, not writable
    connection.watched = (str(name), f"{path}-wal", f"{path}-shm")
    connection.ids = look_at(connection).ids


def look_at(connection: Connection) -> Look:
    """Look at what the names of a connection's file mean now: three calls of the system, a few microseconds."""
    found = [stat_or_none(name) for name in connection.watched]
    return Look(
        tuple(each and (each.st_dev, each.st_ino) for each in found),
        tuple(each and (each.st_size, each.st_mtime_ns) for each in found),
        found[0].st_nlink if found and found[0] else 0,
    )


def stat_or_none(name: str) -> os.stat_result | None:
    """Return what the system says of a name, None where nothing has it."""
    try:
        return os.stat(name)  # noqa: PTH116 - a Path costs more than the call
    except OSError:
        return None


def find_change(connection: Connection, look: Look) -> Change | None:
    """Return what happened to the file of a connection since it was opened."""
    if connection.let_go or (connection.ids and (look.ids[0] is None or look.ids[0] != connection.ids[0])):
        return Change.REPLACED
    if any(was not in (None, is_) for was, is_ in zip(connection.ids[1:], look.ids[1:], strict=True)):
        return Change.COMPANION
    if connection.read_only and connection.path and can_write(connection.path) and look.names == 1:
        return Change.WRITABLE
    return None


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
    if count == 1 or not stat.S_ISREG(found.st_mode):
        return ""
    return (
        f"{path} has {count} names (hard links), and what is written under one is lost under another: remove the "
        f"other names (`find / -samefile {path}` lists them)"
    )


def file_id(path: Path) -> FileId | None:
    """Return what tells a file from any other that has or had its name, None where there is none."""
    found = stat_or_none(str(path))
    return found and (found.st_dev, found.st_ino)


def file_size(path: Path) -> int:
    """Return how many bytes a file has, 0 where there is none."""
    return path.stat().st_size if path.exists() else 0
