"""Brings a database file to the newest schema: migrations/NNNN_name.sql, in order, each once.

The number of scripts applied is the file's `user_version`. Scripts are never edited after release.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.errors import IncompatibleFileError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from firmmem.database import Connection

APPLICATION_ID = 0x4669724D  # "FirM": what the first migration writes into the file's header


@cache
def scripts() -> tuple[str, ...]:
    """Return the migrations, from inside an installed wheel or from beside the package in a checkout."""
    installed = files("firmmem") / "migrations"
    folder: Traversable = installed if installed.is_dir() else Path(__file__).parents[1] / "migrations"
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


def version(connection: Connection) -> int:
    """Return how many migrations the file has had.

    Raises:
        IncompatibleFileError: Another program wrote the file, or a newer FirmMem.
    """
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [applied] = connection.execute("PRAGMA user_version").fetchone()
    [objects] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
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


def migrate(connection: Connection, is_complete: Callable[[str], bool], *, now: str) -> None:
    """Apply what is missing, all of it or nothing, whatever other processes do meanwhile.

    `now` names the backup that is made first of a file that has data.

    Raises:
        IncompatibleFileError: Another program wrote the file, or a newer FirmMem.
    """
    known = scripts()
    applied = version(connection)
    if applied == len(known):
        return
    if applied:
        back_up(connection, f".schema-{applied}.{now}.bak")
    try:
        connection.execute("BEGIN IMMEDIATE")
        for script in known[version(connection) :]:  # read again: another process may have just finished
            for statement in statements(script, is_complete):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(known)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def back_up(connection: Connection, suffix: str) -> None:
    """Copy the file, as it is at one moment, to a file of its name and `suffix` that only its owner can read."""
    [path] = [row["file"] for row in connection.execute("PRAGMA database_list") if row["name"] == "main"]
    copy = Path(f"{path}{suffix}")
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return  # another process that starts at the same moment makes the same copy
    connection.execute("VACUUM INTO ?", (str(copy),))
