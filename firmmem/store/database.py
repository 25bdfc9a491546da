"""The one SQLite file, open: its threads, and each call of a verb in one view or one transaction of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import aiosqlite
import anyio

from firmmem.settings import Settings
from firmmem.store import sqlite
from firmmem.store.file_errors import damaged_index, explained
from firmmem.store.file_identity import let_go, many_names, moved
from firmmem.store.opening import open_connection
from firmmem.store.search_index import mend, of_search_index, searchable
from firmmem.store.statements import Connection, transaction

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

REBUILT = 20_000  # memories whose search index is built anew in the course of a write; it takes about a second


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
    except sqlite.Error as error:
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
    if sqlite.affected():
        log.warning(
            "SQLite %s has a bug that can damage a file in WAL mode: new files use the rollback journal, and the "
            "writers of a WAL file take turns (see firmmem doctor)",
            ".".join(map(str, sqlite.SQLITE_VERSION)),
        )
    if linked := many_names(settings.db):
        log.warning("%s", linked)
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
