"""Statements by name, and the connection and the transaction that they run in."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from firmmem.store import sqlite, write_lock

BUSY_SECONDS = 10.0  # how long a statement waits for another process: longer than any transaction of ours but an import
SQL = Path(__file__).parents[1] / "sql"  # importlib.resources would take longer to import than to read them all
INCLUDE = re.compile(r"/\* include (\w+) \*/")  # another file, at this place

FileId = tuple[int, int]  # device and inode


class Connection(sqlite.Connection):
    """A connection that knows which file it holds open, and whether its search index can be used."""

    path: Path | None = None
    watched: tuple[str, ...] = ()  # names that must go on meaning the same: of the file, its WAL, the WAL's index
    ids: tuple[FileId | None, ...] = ()  # what they meant when it was opened
    read_only = False
    let_go = False  # closed, because its file was moved, deleted or replaced
    searchable = True
    acting: int | None = None  # the run of what a person is doing on it

    def close(self) -> None:
        """Close the file, in its turn: the last one to do so checkpoints."""
        with write_lock.side_lock(self.path):
            super().close()


@cache
def statement_files() -> dict[str, Path]:
    """Return the file of each statement by its name, which is one whatever room of sql/ it is in."""
    return {file.stem: file for file in SQL.glob("*/*.sql")}


@cache
def sql(name: str, candidate: str = "") -> str:
    """Return the statement in sql/*/`name`.sql with what it includes, its candidates found by `candidate`.sql."""
    text = statement_files()[name].read_text(encoding="utf-8")
    text = INCLUDE.sub(lambda found: sql(found[1]), text)
    return text.replace("/* candidate */", sql(candidate)) if candidate else text


def fetch(connection: Connection, name: str, /, candidate: str = "", **parameters: object) -> list[Any]:
    """Run the statement `name` and return its rows."""
    return connection.execute(sql(name, candidate), parameters).fetchall()


def run(connection: Connection, name: str, /, **parameters: object) -> int:
    """Run the statement `name`, which changes rows, and return how many."""
    return connection.execute(sql(name), parameters).rowcount


@contextmanager
def transaction(connection: Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[Connection]:
    """Hold the write lock until the block commits at its end or leaves no trace; with "BEGIN", one moment's view."""
    reads = begin == "BEGIN"
    with write_lock.side_lock(None if reads else getattr(connection, "path", None)):
        try:
            if reads:
                connection.execute(begin)
            else:
                write_lock.begin_write(connection, begin, BUSY_SECONDS)
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
