"""The one SQLite file: how it is opened, its transactions, its statements by name.

Everything else takes the SQLite library of this process from here: `connect`, `Error`, `Row`.
"""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import aiosqlite
import anyio

from firmmem import scoring, sqlite, turns
from firmmem.errors import (
    BusyFileError,
    DamagedFileError,
    DamagedIndexError,
    FirmMemError,
    FullDiskError,
    IncompatibleFileError,
    MissingFileError,
    ReadOnlyFileError,
    ReplacedFileError,
    UnavailableError,
)
from firmmem.migrate import migrate, scripts, version
from firmmem.search_index import mend, of_search_index, searchable
from firmmem.settings import Settings

Error = sqlite.Error
Row = sqlite.Row
connect = sqlite.connect
SQLITE_VERSION = sqlite.SQLITE_VERSION
affected = sqlite.affected


class Connection(sqlite.Connection):
    """A connection that knows which file it holds open, and whether its search index can be used."""

    path: Path | None = None
    file: tuple[int, int] | None = None  # device and inode of what was opened
    wal: tuple[int, int] | None = None  # and of its WAL
    watched: tuple[tuple[str, tuple[int, int] | None], ...] = ()  # both by their names: what must stay as it is
    read_only = False
    lost = False  # closed, because its file was moved or deleted
    searchable = True

    def close(self) -> None:
        """Close the file, in its turn: the last one to do so checkpoints."""
        with turns.side_lock(self.path):
            super().close()


P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

INCLUDE = re.compile(r"/\* include (\w+) \*/")  # another file, at this place
BUSY_SECONDS = 10.0  # how long a statement waits for another process: longer than any transaction of ours
LEAST_ROOM = 2**16  # bytes; SQLite's shared index takes 32 KiB at a time
REBUILT = 20_000  # memories whose search index is built anew in the course of a write; it takes about a second


@cache
def sql(name: str, candidate: str = "") -> str:
    """Return the statement in sql/`name`.sql, with what it includes, its candidates found by sql/`candidate`.sql."""
    text = (files("firmmem") / "sql" / f"{name}.sql").read_text(encoding="utf-8")
    text = INCLUDE.sub(lambda found: sql(found[1]), text)
    return text.replace("/* candidate */", sql(candidate)) if candidate else text


def fetch(connection: Connection, name: str, /, candidate: str = "", **parameters: object) -> list[Any]:
    """Run sql/`name`.sql and return its rows."""
    return connection.execute(sql(name, candidate), parameters).fetchall()


def run(connection: Connection, name: str, /, **parameters: object) -> int:
    """Run sql/`name`.sql, which changes rows, and return how many."""
    return connection.execute(sql(name), parameters).rowcount


@contextmanager
def transaction(connection: Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[Connection]:
    """Hold the write lock until the block commits at its end or leaves no trace; with "BEGIN", one moment's view."""
    reads = begin == "BEGIN"
    with turns.side_lock(None if reads else getattr(connection, "path", None)):
        try:
            if reads:
                connection.execute(begin)
            else:
                turns.begin(connection, begin, BUSY_SECONDS)
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


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


def watch(connection: Connection, name: Path, path: Path, *, writable: bool) -> None:
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


def file_id(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other that has or had its name, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def moved(connection: Connection) -> bool:
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


def let_go(connection: Connection) -> None:
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
    if path.exists() and file_id(path) != connection.file and size(wal) and connection.wal == file_id(wal):
        raise ReplacedFileError(
            f"{path} was replaced while it was open, and another program still holds what was there: end every client "
            "of it and start them again; nothing was written. `firmmem backup restore` replaces a file safely."
        )
    connection.close()
    connection.lost = True


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


def size(path: Path) -> int:
    """Return how many bytes a file has, 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


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
        timeout=BUSY_SECONDS,
        check_same_thread=False,
        factory=Connection,
    )
    connection.row_factory = Row
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
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
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def register(connection: Connection, settings: Settings, *, by_person: bool) -> None:
    """Register the functions that SQL calls, and those of `math` that this SQLite was built without."""
    bases = base_half_lives(settings)

    def effective_half_life(tier: str, consolidation: float, recall_count: float) -> float:
        return scoring.effective_half_life(bases[tier], consolidation, recall_count, settings.consolidation_base)

    functions: dict[str, tuple[int, Callable[..., Any]]] = {
        **scoring.SQL_FUNCTIONS,
        "effective_half_life": (3, effective_half_life),
        "by_person": (0, lambda: int(by_person)),
    }
    for name, arity, function in (("exp", 1, math.exp), ("ln", 1, math.log), ("pow", 2, math.pow)):
        if not has_function(connection, name):
            functions[name] = (arity, function)
    for name, (arity, function) in functions.items():
        connection.create_function(name, arity, guarded(function), deterministic=True)


def base_half_lives(settings: Settings) -> dict[str, float]:
    """Return the base half-life of each tier in days; core never fades."""
    return {
        "core": math.inf,
        "strategic": settings.strategic_half_life,
        "validated": settings.validated_half_life,
        "draft": settings.draft_half_life,
    }


def has_function(connection: Connection, name: str) -> bool:
    """Return whether the library brings the SQL function `name`."""
    return bool(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = ?", (name,)).fetchone())


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` giving NULL for what is no number, where SQLite would stop the whole statement."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (TypeError, ValueError, ArithmeticError, LookupError):
            return None

    return call


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say of a file into one sentence for its user."""
    try:
        yield
    except FirmMemError:
        raise
    except Error as error:
        raise explanation(path, error) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnavailableError(f"{path} can't be opened: {reason}. Check the path and its permissions.") from error


def explanation(path: Path, error: Error) -> UnavailableError:
    """Return what an error of SQLite means for the user of the file."""
    name = sqlite.name_of(error)
    text = str(error)
    if of_search_index(error):
        return damaged_index(path)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in text or "not a database" in text:
        return DamagedFileError(
            f"{path} is damaged or no SQLite file ({text}): move it and its companion files aside together, keep "
            "them, and restore a backup; nothing was changed."
        )
    if name.startswith("SQLITE_READONLY") or "readonly" in text:
        return ReadOnlyFileError(f"{path} can't be written, recall still works: let its user write it and its folder.")
    if sqlite.busy(error):
        return BusyFileError(f"{path} was held by another process for too long: nothing was changed, call again.")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")) or "disk is full" in text or is_full(path, text):
        return FullDiskError(f"The disk of {path} is full: nothing was changed, make room and call again.")
    return UnavailableError(f"{path} can't be used ({text}): check the path, its permissions and its disk.")


def damaged_index(path: Path) -> DamagedIndexError:
    """Return what a search index that can't be written means for the user of the file."""
    return DamagedIndexError(
        f"The search index of {path} is damaged, its memories are not: run `firmmem doctor --repair`, no restart is "
        "needed; nothing was changed."
    )


def is_full(path: Path, text: str) -> bool:
    """Return whether an error that names no reason comes of a disk without room."""
    if "disk I/O error" not in text and "unable to open" not in text:
        return False
    try:
        return shutil.disk_usage(path.parent).free < LEAST_ROOM
    except OSError:
        return False


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
