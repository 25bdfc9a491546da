"""The two connections of a server to its file, and what is done when the file changes under them.

They are closed and opened again only together: within one process SQLite shares the index of a WAL among all
connections to a file, so that a new connection next to an old one would take the deleted index for the new WAL's.
"""

import ctypes
import logging
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import aiosqlite

from firmmem.errors import FirmMemError, LinkedFileError, ReplacedFileError, SplitFileError
from firmmem.settings import Settings
from firmmem.store.file_errors import GARBLED
from firmmem.store.file_identity import Change, Look, file_id, file_size, find_change, look_at, other_names_warning
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import SQLITE_VERSION, Error, is_busy
from firmmem.store.statements import Connection

log = logging.getLogger(__name__)

NOOP = (3, 51, 0)  # the first SQLite that says how much of a WAL is in the file without bringing it there


@dataclass
class OpenFile:
    """A connection that reads and one that writes, each used on a thread of its own."""

    settings: Settings
    reader: aiosqlite.Connection
    writer: aiosqlite.Connection
    _reading: Lock = field(default_factory=Lock)  # where both are taken, this one first
    _writing: Lock = field(default_factory=Lock)
    _last: Look | None = None  # at the file, when it was as it should be
    _lost: str = ""  # why this process can't use it until it is started again

    def __post_init__(self) -> None:
        self.change_of(held_by(self.writer))

    @contextmanager
    def connection(self, *, writes: bool) -> Iterator[Connection]:
        """Hold one of the connections for one call, opened again where the file was replaced.

        Raises:
            UnavailableError: What is there now can't be used.
        """
        while True:
            with self._writing if writes else self._reading:
                connection = held_by(self.writer if writes else self.reader)
                if not self._lost and not self.change_of(connection):
                    if writes and self._last and self._last.names > 1:
                        raise LinkedFileError(f"{other_names_warning(self._last_path)}; nothing was written.")
                    yield connection
                    return
            self.open_again()

    def change_of(self, connection: Connection) -> Change | None:
        """Return what happened to a connection's file since it was opened, and note how it is where nothing did."""
        look = look_at(connection)
        change = find_change(connection, look)
        if change is None:
            self._last = look
            if None in connection.ids:  # a companion that its first use made
                connection.ids = look.ids
        return change

    def open_again(self) -> None:
        """Open what is there now, with neither connection in use.

        Raises:
            UnavailableError: It can't be used.
        """
        with self._reading, self._writing:
            if self._lost:
                raise SplitFileError(self._lost)
            for held in (self.writer, self.reader):
                change = find_change(held_by(held), look_at(held_by(held)))
                if change is Change.COMPANION:
                    self._rejoin()
                elif change:
                    close_moved(held_by(held))
                    self._open(held)

    @property
    def _last_path(self) -> Path:
        return held_by(self.writer).path or self.settings.db

    def _open(self, held: aiosqlite.Connection) -> None:
        held._connection = open_connection(self.settings, writes=held is self.writer, again=True)  # noqa: SLF001
        log.warning("%s, or a companion of it, was replaced while it was open: it is opened again", self.settings.db)

    def _rejoin(self) -> None:
        """Bring what only a deleted WAL holds into the file, where nobody used the file without it; else into a copy.

        Raises:
            SplitFileError: Somebody did; this process stays away from the file from now on.
        """
        writer, reader = held_by(self.writer), held_by(self.reader)
        apart = self._used_meanwhile(writer)
        reader.close()  # which leaves the WAL alone, since the writer is open
        if apart or not (leave_wal(writer) or checkpoint_all(writer)):
            self._lost = split_sentence(self._last_path, writer)
            never_close(writer)
            self.writer._connection = reader  # noqa: SLF001 - closed, so that whoever closes it closes nothing
            raise SplitFileError(self._lost)
        writer.close()
        writer.let_go = reader.let_go = True
        self._open(self.writer)
        self._open(self.reader)

    def _used_meanwhile(self, writer: Connection) -> bool:
        """Return whether anything was written to the file or a WAL of it since the companion was gone."""
        now, last = look_at(writer), self._last
        if last is None or now.stamps[0] != last.stamps[0]:
            return True
        if now.ids[1] == writer.ids[1]:
            return now.stamps[1] != last.stamps[1]
        return file_size(Path(f"{self._last_path}-wal")) > 0


def held_by(held: aiosqlite.Connection) -> Connection:
    """Return the connection that aiosqlite holds."""
    connection: Connection = held._conn  # type: ignore[assignment]  # noqa: SLF001
    return connection


def leave_wal(connection: Connection) -> bool:
    """Bring all of the WAL into the file, if no other process has it open; return whether that was done."""
    left = False
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        left = bool(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete")
        if left:
            connection.execute("PRAGMA journal_mode = WAL")  # a new one; without it the file is as safe, and slower
    except Error as error:
        if not is_busy(error):
            raise
    return left


def checkpoint_all(connection: Connection) -> bool:
    """Bring all of the WAL into the file, in agreement with those who have the same one; return whether that was done.

    Whoever opened the file without it would have made another, so that this is only for a file next to which is none.
    """
    if connection.path is None or os.path.lexists(f"{connection.path}-wal"):
        return False
    busy, frames, written = connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
    return not busy and bool(frames == written)


def lacks_anything(connection: Connection) -> bool:
    """Return whether the file may lack some of the WAL that a connection has."""
    if SQLITE_VERSION < NOOP:  # which would take it for a checkpoint
        return True
    _, frames, written = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchone()
    return bool(frames != written)


def save_copy(connection: Connection) -> Path | None:
    """Copy all that a connection sees to a new file next to its own; None where it can't be copied whole."""
    # Imported here: a start counts every millisecond.
    from firmmem.store.copy_names import new_copy_name
    from firmmem.store.copying import copy_file

    if connection.path is None:
        return None
    try:
        copy = new_copy_name(connection.path, "rescued")
        copy_file(connection, copy)
    except (FirmMemError, Error, OSError, *GARBLED) as error:
        log.warning("what was open could not be copied: %s", error)
        return None
    return copy


def split_sentence(path: Path, connection: Connection) -> str:
    """Return what a companion that is gone means for the user of the file; what it alone holds is copied first."""
    name = shlex.quote(str(path))
    lacking = lacks_anything(connection)
    copy = save_copy(connection) if lacking else None
    then = (
        "nothing that was stored is lost: end every client of the file, and start them again"
        if not lacking
        else f"all that this server had stored is in {copy}: end every client of the file, and bring it back with "
        f"`firmmem export --db {shlex.quote(str(copy))} | firmmem import --db {name} -`"
        if copy
        else "what this server had stored last could not be copied: end every client of the file, and look at it with "
        f"`firmmem doctor --db {name}`"
    )
    return (
        f"The -wal or -shm file of {path} was deleted or replaced while other programs used it, and this call was not "
        f"written there; {then}."
    )


def never_close(connection: Connection) -> None:
    """Keep a connection until the process ends: closing it would write an old WAL over what others wrote since."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def close_moved(connection: Connection) -> None:
    """Close a file that was moved or replaced, with all that was written to it inside.

    Raises:
        ReplacedFileError: Another process still holds it open, so that SQLite would read its WAL into the new file.
    """
    path = connection.path
    if path is None or connection.let_go:
        return
    if not connection.read_only:
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except Error as error:
            log.info("%s was not checkpointed: %s", path, error)
    wal = Path(f"{path}-wal")
    same_wal = len(connection.ids) > 1 and connection.ids[1] == file_id(wal)
    if os.path.exists(path) and file_id(path) != connection.ids[0] and file_size(wal) and same_wal:  # noqa: PTH110
        raise ReplacedFileError(
            f"{path} was replaced while it was open, and another program still holds what was there: end every client "
            "of it and start them again; nothing was written. `firmmem backup restore` replaces a file safely."
        )
    connection.close()
    connection.let_go = True
