"""Brings a database file to the newest schema: migrations/NNNN_name.sql, in order, each once.

The number of scripts applied is the file's `user_version`. Scripts are never edited after release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.errors import IncompatibleFileError

if TYPE_CHECKING:
    from firmmem.store.sqlite import Connection

APPLICATION_ID = 0x4669724D  # "FirM": what the first migration writes into the file's header


@cache
def scripts() -> tuple[str, ...]:
    """Return the migrations, from inside an installed wheel or from beside the package in a checkout."""
    installed = Path(__file__).parents[1] / "migrations"
    folder = installed if installed.is_dir() else Path(__file__).parents[2] / "migrations"
    found = {file.name: file for file in folder.iterdir() if file.name.endswith(".sql")}
    return tuple(found[name].read_text(encoding="utf-8") for name in sorted(found))


def statements(script: str, is_complete: Callable[[str], bool]) -> Iterator[str]:
    """Split at the semicolons that end a statement, not at those inside triggers, strings or comments."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if is_complete(statement):
            yield statement
            statement = ""
    yield statement  # a comment, or a last statement without its semicolon


def schema_version(connection: Connection) -> int:
    """Return how many migrations the file has had.

    Raises:
        IncompatibleFileError: Another program wrote the file, or a newer FirmMem.
    """
    # One statement, so that what another process commits meanwhile is seen whole or not at all.
    application, applied, objects = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != APPLICATION_ID and (application or applied or objects):
        raise IncompatibleFileError(
            "The file belongs to another program; name another file with FIRMMEM_DB, this one was left as it is."
        )
    if applied > len(scripts()):
        raise IncompatibleFileError(
            f"The file has schema {applied} and this FirmMem knows up to {len(scripts())}: "
            "upgrade FirmMem, the file was left as it is."
        )
    return int(applied)


def migrate(connection: Connection, is_complete: Callable[[str], bool], back_up: Callable[[int], Path]) -> None:
    """Apply what is missing, all of it or nothing, whatever other processes do meanwhile.

    `back_up` copies a file that has this schema before it is upgraded, and returns the copy.

    Raises:
        IncompatibleFileError: Another program wrote the file, or a newer FirmMem.
    """
    known = scripts()
    if schema_version(connection) == len(known):
        return
    copy: Path | None = None
    try:
        connection.execute("BEGIN IMMEDIATE")
        applied = schema_version(connection)  # read again: another process may have just finished
        if 0 < applied < len(known):
            copy = back_up(applied)  # under the lock, so that it holds all that was there, and nothing newer
        for script in known[applied:]:
            for statement in statements(script, is_complete):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(known)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if copy:
            copy.unlink()  # the file is as it was
        raise
