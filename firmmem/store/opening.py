"""Opening the one SQLite file: created or upgraded as needed, with its journal, its functions and its permissions."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.errors import (
    BusyFileError,
    DamagedFileError,
    IncompatibleFileError,
    LinkedFileError,
    MissingFileError,
    ReadOnlyFileError,
)
from firmmem.store import sqlite, statements, write_lock
from firmmem.store.file_errors import explain_file_errors
from firmmem.store.file_identity import can_write, file_size, note_identity, other_names_warning
from firmmem.store.migrate import migrate, schema_version, scripts
from firmmem.store.schema_check import Difference, check_schema, mend_schema
from firmmem.store.search_index import is_searchable
from firmmem.store.sql_functions import register_functions
from firmmem.store.sqlite import SQLITE_VERSION, Error, Row, connect, has_wal_bug, is_busy
from firmmem.store.statements import Connection, fetch, run
from firmmem.time_zone import use_zone

if TYPE_CHECKING:
    from firmmem.settings import Settings

PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")  # of a URI

BEGUN_S = 10.0  # how long another process that has just made the file may take to fill it


def open_connection(
    settings: Settings, *, by_person: bool = False, writes: bool = True, again: bool = False
) -> Connection:
    """Open the file, create or upgrade it as needed, and register the functions that its SQL calls.

    `by_person` lets the connection change core facts. A file opened `again` is never created.

    Raises:
        UnavailableError: The file can't be used; it was left as it is.
    """
    use_zone(settings.time_zone)
    path = Path(os.path.realpath(settings.db))  # what a link points to: its companion files lie beside that
    with explain_file_errors(path):
        if SQLITE_VERSION < sqlite.OLDEST:
            raise IncompatibleFileError(
                f"SQLite {'.'.join(map(str, SQLITE_VERSION))} is too old: install a Python with SQLite 3.37 or newer."
            )
        if again and file_size(path) == 0:
            raise MissingFileError(
                f"{path} was moved, deleted or emptied while it was open: put it back, or restart the client to begin "
                "a new one; nothing was written elsewhere."
            )
        create_empty(path)
        linked = other_names_warning(path)
        if linked and by_person:
            raise LinkedFileError(f"{linked}; nothing was written.")
        writable = can_write(path) and not linked
        connection = connect_to(path, "?mode=rw") if writable else open_read_only(path)
        try:
            register_functions(connection, settings, by_person=by_person)
            prepare(connection, path, settings, writable=writable)
            connection.searchable = is_searchable(connection)
            if not writes:
                connection.execute("PRAGMA query_only = ON")
            note_identity(connection, settings.db, path, writable=writable)
        except ReadOnlyFileError:
            connection.close()
            if linked:
                raise LinkedFileError(f"{linked}; nothing was written.") from None
            raise
        except BaseException:
            connection.close()
            raise
    return connection


def create_empty(path: Path) -> None:
    """Make the folder and an empty file that only its owner can read, where there is none yet.

    A file that exists is never opened here: closing such a descriptor would drop SQLite's locks on it.
    """
    if path.is_dir():
        raise IncompatibleFileError(f"{path} is a folder: name a file in it with FIRMMEM_DB.")
    if file_size(path) == 0 and file_size(Path(f"{path}-wal")) > 0:  # SQLite would throw away what its companion holds
        raise DamagedFileError(
            f"{path} is missing or empty and {path.name}-wal beside it is not: put the file back, or move both aside "
            "together, keep them, and restore a backup; nothing was changed."
        )
    if path.exists() and file_size(path) == 0:
        refuse_emptied(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return  # another process was quicker


def refuse_emptied(path: Path) -> None:
    """Refuse an empty file where there was one with memories; any other is begun, which is said.

    Raises:
        DamagedFileError: Copies of what was in it are next to it.
    """
    from firmmem.store.copy_names import KINDS, list_copies  # a start has no use for it otherwise

    copies = [copy for kind in KINDS for _, copy in list_copies(path, kind) if file_size(copy)]
    if copies:
        raise DamagedFileError(
            f"{path} is empty, and a copy of what was in it is next to it: put it back with `firmmem backup restore "
            f"{shlex.quote(str(copies[-1]))}`, or delete the empty file to begin a new one."
        )
    if time.time() - path.stat().st_mtime > BEGUN_S:  # noqa: TID251 - how long it has been there, by the system's clock
        import logging  # a hook opens the file and has nothing to say

        logging.getLogger(__name__).warning("%s was an empty file: a new store is begun in it", path)


def open_read_only(path: Path) -> Connection:
    """Connect where the file or its folder can't be written."""
    connection = connect_to(path, "?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except Error:
        connection.close()
        if Path(f"{path}-wal").exists():
            raise
        # Nobody can write here, so there is no WAL to read; SQLite would still want to make its index file.
        connection = connect_to(path, "?mode=ro&immutable=1")
    return connection


def connect_to(path: Path, query: str) -> Connection:
    """Connect without Python's own transactions, waiting for other processes from the first statement on."""
    connection = connect(
        f"{file_uri(path)}{query}",
        uri=True,
        isolation_level=None,
        timeout=statements.BUSY_SECONDS,
        check_same_thread=False,
        factory=Connection,
    )
    connection.row_factory = Row
    connection.execute(f"PRAGMA busy_timeout = {int(statements.BUSY_SECONDS * 1000)}")
    return connection


@contextmanager
def hold_alone(path: Path) -> Iterator[Connection]:
    """Hold a file that no other process has open; none can read or write it meanwhile.

    With a rollback journal an idle process holds no lock and can't be seen this way.

    Raises:
        BusyFileError: Another process has it open.
    """
    with closing(connect_to(path, "?mode=rw")) as connection:
        connection.execute("PRAGMA busy_timeout = 200")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps a lock that was taken once
        try:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except Error as error:
            if not is_busy(error):
                raise
            raise BusyFileError(
                f"{path} is open in another process: end every client that uses it; nothing was changed."
            ) from error
        yield connection


def file_uri(path: Path) -> str:
    """Return a path as SQLite takes it, whatever bytes are in it."""
    return "file:" + "".join(chr(byte) if byte in PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))


def prepare(connection: Connection, path: Path, settings: Settings, *, writable: bool) -> None:
    """Set what a connection needs, and bring the file to the newest schema."""
    applied = schema_version(connection)
    if writable and not applied:
        set_journal(connection)
    connection.execute("PRAGMA synchronous = FULL")  # NORMAL loses answered writes on power loss
    connection.execute("PRAGMA recursive_triggers = ON")
    check_schema(connection, path)
    if writable:
        if has_wal_bug() and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            write_lock.make_lock_file(path)
        with write_lock.side_lock(path):
            migrate(connection, sqlite.complete_statement, partial(back_up, path))
        if not fetch(connection, "keying"):  # an open file needs no lock to be opened again
            run(
                connection,
                "keying_insert",
                draft=settings.draft_half_life,
                validated=settings.validated_half_life,
                strategic=settings.strategic_half_life,
                consolidation_base=settings.consolidation_base,
            )
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # so that the file is never empty without its WAL
    elif applied < len(scripts()):
        state = f"has the older schema {applied}" if applied else "is empty"
        raise ReadOnlyFileError(f"{path} {state} and can't be written: let its user write it and its folder.")
    connection.execute("PRAGMA foreign_keys = ON")  # after migrating: a script may rebuild a table


def repair_schema(path: Path) -> list[Difference]:
    """Put triggers, views and indexes that another program changed back; return what was put right."""
    with closing(connect_to(path, "?mode=rw")) as connection:
        applied = schema_version(connection)
        if not applied:
            return []
        connection.path = path
        with statements.transaction(connection):
            return mend_schema(connection, applied)


def back_up(path: Path, schema: int) -> Path:
    """Copy the file as it was last committed to a new one beside it, which only its owner can read."""
    copy = Path(f"{path}.schema-{schema}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.bak")
    descriptor = os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        reader = connect_to(path, "?mode=ro")
        try:
            reader.execute("VACUUM INTO ?", (file_uri(copy),))
        finally:
            reader.close()
        os.fsync(descriptor)  # which VACUUM INTO doesn't
    except BaseException:
        copy.unlink()
        raise
    finally:
        os.close(descriptor)
    return copy


def set_journal(connection: Connection) -> None:
    """Give a new file its journal mode, which belongs to it from then on.

    Changing the mode needs the file alone, and SQLite doesn't wait for that: try again while others start.
    """
    until = time.monotonic() + statements.BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {journal_for_new_file()}")
        except Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def journal_for_new_file() -> str:
    """Return the journal mode that a file is given by this process."""
    return "DELETE" if has_wal_bug() else "WAL"
