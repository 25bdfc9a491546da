"""The one SQLite file: how it is opened, its transactions, its statements by name.

Everything else takes the SQLite library of this process from here: `connect`, `Error`, `Row`.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import aiosqlite
import anyio

from firmmem import sqlite, statements, turns
from firmmem.errors import (
    DamagedFileError,
    IncompatibleFileError,
    MissingFileError,
    ReadOnlyFileError,
)
from firmmem.file_errors import damaged_index, explained, explanation
from firmmem.held_file import can_write, let_go, moved, size, watch
from firmmem.migrate import migrate, scripts, version
from firmmem.search_index import mend, of_search_index, searchable
from firmmem.settings import Settings
from firmmem.sql_functions import register
from firmmem.statements import Connection, fetch, run, sql, transaction

__all__ = [
    "SQLITE_VERSION",
    "Connection",
    "Database",
    "Error",
    "Row",
    "affected",
    "can_write",
    "connect",
    "connected",
    "explained",
    "explanation",
    "fetch",
    "open_connection",
    "open_database",
    "run",
    "size",
    "sql",
    "transaction",
]

Error = sqlite.Error
Row = sqlite.Row
connect = sqlite.connect
SQLITE_VERSION = sqlite.SQLITE_VERSION
affected = sqlite.affected


P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

REBUILT = 20_000  # memories whose search index is built anew in the course of a write; it takes about a second


def open_connection(
    settings: Settings, *, by_person: bool = False, writes: bool = True, again: bool = False
) -> Connection:
    """Open the file, create or upgrade it as needed, and register the functions that its SQL calls.

    `by_person` lets the connection change core facts. A file opened `again` is never created.

    Raises:
        UnavailableError: The file can't be used; it was left as it is.
    """
    path = Path(os.path.realpath(settings.db))  # what a link points to: its companion files lie beside that
    with explained(path):
        if SQLITE_VERSION < sqlite.OLDEST:
            raise IncompatibleFileError(
                f"SQLite {'.'.join(map(str, SQLITE_VERSION))} is too old: install a Python with SQLite 3.37 or newer."
            )
        if again and size(path) == 0:
            raise MissingFileError(
                f"{path} was moved, deleted or emptied while it was open: put it back, or restart the client to begin "
                "a new one; nothing was written elsewhere."
            )
        fresh(path)
        writable = can_write(path)
        connection = connected(path, "?mode=rw") if writable else opened_for_reading(path)
        try:
            register(connection, settings, by_person=by_person)
            prepare(connection, path, settings, writable=writable)
            connection.searchable = searchable(connection)
            if not writes:
                connection.execute("PRAGMA query_only = ON")
            watch(connection, settings.db, path, writable=writable)
        except BaseException:
            connection.close()
            raise
    return connection


def fresh(path: Path) -> None:
    """Make the folder and an empty file that only its owner can read, where there is none yet.

    A file that exists is never opened here: closing such a descriptor would drop SQLite's locks on it.
    """
    if path.is_dir():
        raise IncompatibleFileError(f"{path} is a folder: name a file in it with FIRMMEM_DB.")
    if size(path) == 0 and size(Path(f"{path}-wal")) > 0:  # SQLite would throw away what its companion holds
        raise DamagedFileError(
            f"{path} is missing or empty and {path.name}-wal beside it is not: put the file back, or move both aside "
            "together, keep them, and restore a backup; nothing was changed."
        )
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return  # another process was quicker


def opened_for_reading(path: Path) -> Connection:
    """Connect where the file or its folder can't be written."""
    connection = connected(path, "?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except Error:
        connection.close()
        if Path(f"{path}-wal").exists():
            raise
        # Nobody can write here, so there is no WAL to read; SQLite would still want to make its index file.
        connection = connected(path, "?mode=ro&immutable=1")
    return connection


def connected(path: Path, query: str) -> Connection:
    """Connect without Python's own transactions, waiting for other processes from the first statement on."""
    connection = connect(
        f"{uri(path)}{query}",
        uri=True,
        isolation_level=None,
        timeout=statements.BUSY_SECONDS,
        check_same_thread=False,
        factory=Connection,
    )
    connection.row_factory = Row
    connection.execute(f"PRAGMA busy_timeout = {int(statements.BUSY_SECONDS * 1000)}")
    return connection


def uri(path: Path) -> str:
    """Return a path as SQLite takes it, whatever bytes are in it."""
    return f"file:{quote(os.fsencode(path))}"


def prepare(connection: Connection, path: Path, settings: Settings, *, writable: bool) -> None:
    """Set what a connection needs, and bring the file to the newest schema."""
    applied = version(connection)
    if writable and not applied:
        set_journal(connection)
    connection.execute("PRAGMA synchronous = FULL")  # NORMAL loses answered writes on power loss
    connection.execute("PRAGMA recursive_triggers = ON")
    if writable:
        if affected() and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            turns.mark(path)
        with turns.side_lock(path):
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
    elif applied < len(scripts()):
        state = f"has the older schema {applied}" if applied else "is empty"
        raise ReadOnlyFileError(f"{path} {state} and can't be written: let its user write it and its folder.")
    connection.execute("PRAGMA foreign_keys = ON")  # after migrating: a script may rebuild a table


def back_up(path: Path, schema: int) -> Path:
    """Copy the file as it was last committed to a new one beside it, which only its owner can read."""
    copy = Path(f"{path}.schema-{schema}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.bak")
    descriptor = os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        reader = connected(path, "?mode=ro")
        try:
            reader.execute("VACUUM INTO ?", (uri(copy),))
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
    mode = "DELETE" if affected() else "WAL"
    until = time.monotonic() + statements.BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


@dataclass(frozen=True)
class Database:
    """The file, open: a connection that reads and one that writes, each on a thread of its own."""

    path: Path
    settings: Settings
    _reader: aiosqlite.Connection
    _writer: aiosqlite.Connection

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the reading connection on its thread, in one view of the file: one hop."""
        return await self._hop(self._reader, partial(reading, self._reader, self.settings, function), *args, **kwargs)

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the writing connection, in one transaction on its thread: one hop.

        A caller that is cancelled meanwhile leaves the whole of it done or none.
        """
        return await self._hop(self._writer, partial(writing, self._writer, self.settings, function), *args, **kwargs)

    async def _hop(
        self, connection: aiosqlite.Connection, function: Callable[..., T], *args: object, **kwargs: object
    ) -> T:
        # aiosqlite's one way to run a function on its thread.
        with explained(self.path):
            result: T = await connection._execute(partial(function, *args, **kwargs))  # type: ignore[no-untyped-call]  # noqa: SLF001
        return result


def reading(
    held: aiosqlite.Connection,
    settings: Settings,
    function: Callable[Concatenate[Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Call `function` in one view of the file, on its thread."""
    with transaction(current(held, settings, writes=False), "BEGIN") as connection:
        return function(connection, *args, **kwargs)


def writing(
    held: aiosqlite.Connection,
    settings: Settings,
    function: Callable[Concatenate[Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Call `function` in a transaction of its own, on its thread.

    Where the file was replaced before it ended, it is called again for the file that is there now. Where the search
    index is damaged, it is built anew first.
    """
    connection = current(held, settings, writes=True)
    if not connection.searchable:
        connection.searchable = searchable(connection) or mended(connection)
    try:
        result = in_transaction(connection, function, *args, **kwargs)
    except Error as error:
        if connection.searchable and not of_search_index(error):
            raise
        if not mended(connection):
            raise damaged_index(settings.db) from error
        result = in_transaction(connection, function, *args, **kwargs)
    if moved(connection):
        return in_transaction(current(held, settings, writes=True), function, *args, **kwargs)
    return result


def current(held: aiosqlite.Connection, settings: Settings, *, writes: bool) -> Connection:
    """Return the connection of a thread, opened again where its file was replaced; call it on that thread."""
    connection: Connection = held._conn  # type: ignore[assignment]  # noqa: SLF001
    if moved(connection):
        let_go(connection)
        connection = open_connection(settings, writes=writes, again=True)
        held._connection = connection  # noqa: SLF001
        log.warning("%s, or its WAL, was replaced while it was open: it is opened again", settings.db)
    return connection


def mended(connection: Connection) -> bool:
    """Build a damaged search index anew if that takes no more than a moment; return whether it was."""
    [(count,)] = connection.execute("SELECT count(*) FROM (SELECT 1 FROM memory LIMIT ?)", (REBUILT + 1,))
    if count > REBUILT:
        return False
    with transaction(connection):
        mend(connection, sqlite.complete_statement)
    log.warning("the search index of %s was damaged and has been built anew", connection.path)
    return True


def in_transaction(
    connection: Connection, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call `function` in a transaction of its own."""
    with transaction(connection):
        return function(connection, *args, **kwargs)


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Database]:
    """Open the file for a server, and close it at the end.

    Raises:
        UnavailableError: The file can't be used; it was left as it is.
    """
    if affected():
        log.warning(
            "SQLite %s has a bug that can damage a file in WAL mode: new files use the rollback journal, and the "
            "writers of a WAL file take turns (see firmmem doctor)",
            ".".join(map(str, SQLITE_VERSION)),
        )
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(lasting(partial(open_connection, settings)))
        reader = await stack.enter_async_context(lasting(partial(open_connection, settings, writes=False)))
        yield Database(settings.db, settings, reader, writer)


@asynccontextmanager
async def lasting(connector: Callable[[], Connection]) -> AsyncGenerator[aiosqlite.Connection]:
    """Hold a connection on a thread of its own; neither opening nor closing it is given up half-way."""
    with anyio.CancelScope(shield=True):
        opened = await anyio.to_thread.run_sync(connector)  # aiosqlite's thread would outlive a failure of it
        connection = await aiosqlite.Connection(lambda: opened, iter_chunk_size=64)
    try:
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()
