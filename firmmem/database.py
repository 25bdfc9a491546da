"""The one SQLite file: how it is opened, its transactions, its statements by name.

One SQLite library per process: a second one that closes the file would drop the first one's locks, and its
errors are not the other's. So the library is chosen here, and everything else takes it from here.
"""

from __future__ import annotations

import logging
import math
import os
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import aiosqlite
import anyio

from firmmem import scoring
from firmmem.errors import (
    BusyFileError,
    DamagedFileError,
    FirmMemError,
    FullDiskError,
    IncompatibleFileError,
    ReadOnlyFileError,
    UnavailableError,
)
from firmmem.migrate import migrate, scripts, version
from firmmem.settings import Settings

if TYPE_CHECKING:
    import sqlite3 as library
else:
    try:
        import pysqlite3 as library
    except ImportError:
        import sqlite3 as library

Connection = library.Connection
Error = library.Error
Row = library.Row
connect = library.connect
SQLITE_VERSION = library.sqlite_version_info

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

INCLUDE = re.compile(r"/\* include (\w+) \*/")  # another file, at this place
BUSY_SECONDS = 10.0  # how long a statement waits for another process: longer than any transaction of ours
OLDEST = (3, 37, 0)  # STRICT tables
FIXED = (3, 51, 3)  # the WAL-reset bug, see `affected`
BACKPORTS = {(3, 44): 6, (3, 50): 7}


def affected(sqlite_version: tuple[int, int, int] = SQLITE_VERSION) -> bool:
    """Return whether this SQLite can corrupt a WAL file that two connections write and checkpoint.

    The bug is in 3.7.0 to 3.51.2, with the fix ported back to 3.44.6 and 3.50.7.
    """
    if sqlite_version >= FIXED:
        return False
    return sqlite_version[2] < BACKPORTS.get(sqlite_version[:2], math.inf)


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
    try:
        connection.execute(begin)
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def open_connection(settings: Settings, *, by_person: bool = False, writes: bool = True) -> Connection:
    """Open the file, create or upgrade it as needed, and register the functions that its SQL calls.

    `by_person` lets the connection change core facts.

    Raises:
        UnavailableError: The file can't be used; it was left as it is.
    """
    path = Path(os.path.realpath(settings.db))  # what a link points to: its companion files lie beside that
    with explained(path):
        if SQLITE_VERSION < OLDEST:
            raise IncompatibleFileError(
                f"SQLite {'.'.join(map(str, SQLITE_VERSION))} is too old: install a Python with SQLite 3.37 or newer."
            )
        fresh(path)
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        connection = connected(path, "?mode=rw") if writable else opened_for_reading(path)
        try:
            register(connection, settings, by_person=by_person)
            prepare(connection, path, settings, writable=writable)
            if not writes:
                connection.execute("PRAGMA query_only = ON")
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
        migrate(connection, library.complete_statement, partial(back_up, path))
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
    name = str(getattr(error, "sqlite_errorname", "") or "")
    text = str(error)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in text or "not a database" in text:
        return DamagedFileError(
            f"{path} is damaged or no SQLite file ({text}): move it and its companion files aside together, keep "
            "them, and restore a backup; nothing was changed."
        )
    if name.startswith("SQLITE_READONLY") or "readonly" in text:
        return ReadOnlyFileError(f"{path} can't be written, recall still works: let its user write it and its folder.")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in text:
        return BusyFileError(f"{path} was held by another process for too long: nothing was changed, call again.")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")) or "disk is full" in text:
        return FullDiskError(f"The disk of {path} is full: nothing was changed, make room and call again.")
    return UnavailableError(f"{path} can't be used ({text}): check the path, its permissions and its disk.")


@dataclass(frozen=True)
class Database:
    """The file, open: a connection that reads and one that writes, each on a thread of its own."""

    path: Path
    settings: Settings
    _reader: aiosqlite.Connection
    _writer: aiosqlite.Connection

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the reading connection on its thread, in one view of the file: one hop."""
        return await self._hop(self._reader, partial(in_transaction, "BEGIN", function), *args, **kwargs)

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with the writing connection, in one transaction on its thread: one hop.

        A caller that is cancelled meanwhile leaves the whole of it done or none.
        """
        return await self._hop(self._writer, partial(in_transaction, "BEGIN IMMEDIATE", function), *args, **kwargs)

    async def _hop(
        self, connection: aiosqlite.Connection, function: Callable[..., T], *args: object, **kwargs: object
    ) -> T:
        # aiosqlite's one way to run a function on its thread.
        call = partial(function, connection._conn, *args, **kwargs)  # noqa: SLF001
        with explained(self.path):
            result: T = await connection._execute(call)  # type: ignore[no-untyped-call]  # noqa: SLF001
        return result


def in_transaction(
    begin: str,
    function: Callable[Concatenate[Connection, P], T],
    connection: Connection,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Call `function` in a transaction of its own."""
    with transaction(connection, begin):
        return function(connection, *args, **kwargs)


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Database]:
    """Open the file for a server, and close it at the end.

    Raises:
        UnavailableError: The file can't be used; it was left as it is.
    """
    if affected():
        log.warning(
            "SQLite %s has a bug that can damage a file in WAL mode; new files use the rollback journal",
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
