"""The one SQLite file, open: its threads, and each call of a verb in one view or one transaction of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import aiosqlite
import anyio

from firmmem.store import sqlite
from firmmem.store.file_errors import damaged_index_sentence, explain_file_errors
from firmmem.store.file_identity import Change, other_names_warning
from firmmem.store.open_file import OpenFile
from firmmem.store.opening import open_connection
from firmmem.store.search_index import is_index_error, is_searchable, rebuild_index
from firmmem.store.statements import Connection, transaction

if TYPE_CHECKING:
    from firmmem.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

REBUILT = 20_000  # memories whose search index is built anew in the course of a write; it takes about a second


@dataclass(frozen=True)
class Database:
    """The file, open: a connection that reads and one that writes, each on a thread of its own."""

    path: Path
    settings: Settings
    _file: OpenFile

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the reading connection on its thread, in one view of the file: one hop."""
        return await self._hop(self._file.reader, partial(read_in_view, self._file, function), *args, **kwargs)

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the writing connection, in one transaction on its thread: one hop.

        A caller that is cancelled meanwhile leaves the whole of it done or none.
        """
        return await self._hop(self._file.writer, partial(write_in_transaction, self._file, function), *args, **kwargs)

    async def _hop(
        self, connection: aiosqlite.Connection, function: Callable[..., T], *args: object, **kwargs: object
    ) -> T:
        # aiosqlite's one way to run a function on its thread.
        with explain_file_errors(self.path):
            result: T = await connection._execute(partial(function, *args, **kwargs))  # type: ignore[no-untyped-call]  # noqa: SLF001
        return result


def read_in_view(
    file: OpenFile, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call `function` in one view of the file, on its thread."""
    with file.connection(writes=False) as connection, transaction(connection, "BEGIN"):
        return function(connection, *args, **kwargs)


def write_in_transaction(
    file: OpenFile, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call `function` in a transaction of its own, on its thread.

    Where the file was replaced before it ended, it is called again for the file that is there now. Where the search
    index is damaged, it is built again first.
    """
    with file.connection(writes=True) as connection:
        result = write_and_mend(connection, file.settings, function, *args, **kwargs)
        change = file.change_of(connection)
    if change is Change.REPLACED:
        with file.connection(writes=True) as connection:
            return in_transaction(connection, function, *args, **kwargs)
    if change is Change.COMPANION:
        file.open_again()  # with what was just written, or it raises
    return result


def write_and_mend(
    connection: Connection,
    settings: Settings,
    function: Callable[Concatenate[Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Call `function` in a transaction; where the search index is damaged, it is built again first."""
    if not connection.searchable:
        connection.searchable = is_searchable(connection) or mend_if_quick(connection)
    try:
        return in_transaction(connection, function, *args, **kwargs)
    except sqlite.Error as error:
        if connection.searchable and not is_index_error(error):
            raise
        if not mend_if_quick(connection):
            raise damaged_index_sentence(settings.db) from error
        return in_transaction(connection, function, *args, **kwargs)


def mend_if_quick(connection: Connection) -> bool:
    """Build a damaged search index anew if that takes no more than a moment; return whether it was."""
    [(count,)] = connection.execute("SELECT count(*) FROM (SELECT 1 FROM memory LIMIT ?)", (REBUILT + 1,))
    if count > REBUILT:
        return False
    with transaction(connection):
        rebuild_index(connection, sqlite.complete_statement)
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
    if sqlite.has_wal_bug():
        log.warning(
            "SQLite %s has a bug that can damage a file in WAL mode: new files use the rollback journal, and the "
            "writers of a WAL file take turns (see firmmem doctor)",
            ".".join(map(str, sqlite.SQLITE_VERSION)),
        )
    if linked := other_names_warning(settings.db):
        log.warning("%s", linked)
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(hold_connection(partial(open_connection, settings)))
        reader = await stack.enter_async_context(hold_connection(partial(open_connection, settings, writes=False)))
        yield Database(settings.db, settings, OpenFile(settings, reader, writer))


@asynccontextmanager
async def hold_connection(connector: Callable[[], Connection]) -> AsyncGenerator[aiosqlite.Connection]:
    """Hold a connection on a thread of its own; neither opening nor closing it is given up half-way."""
    with anyio.CancelScope(shield=True):
        opened = await anyio.to_thread.run_sync(connector)  # aiosqlite's thread would outlive a failure of it
        connection = await aiosqlite.Connection(lambda: opened, iter_chunk_size=64)
    try:
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()
