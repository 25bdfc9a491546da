"""The schema of a file held to its migrations: tables, columns, triggers, views and indexes, by one fingerprint.

Whoever can write the file can drop the trigger that protects core facts, or plant one that rewrites each memory. What
is FirmMem's has to be as the migrations make it, and nothing may be attached to it. Tables and views of other programs
that touch none of it do no harm, and are only reported. SQLite's own tables and those that the search index is kept in
are set apart: they depend on the SQLite at hand, and have checks of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from firmmem.errors import DamagedFileError
from firmmem.store import migrate
from firmmem.store.schema_fingerprints import FINGERPRINTS
from firmmem.store.sqlite import complete_statement, connect

if TYPE_CHECKING:
    from pathlib import Path

    from firmmem.store.sqlite import Connection

OBJECTS = """
SELECT type, name, tbl_name, sql FROM sqlite_master
WHERE name NOT LIKE 'sqlite#_%' ESCAPE '#'
    AND NOT (type IN ('table', 'index') AND name LIKE 'memory#_words#_%' ESCAPE '#')
ORDER BY type, name
"""
INDEX = "memory_words"  # the search index, whose absence its own check reports
DEFINES = ("CREATE", "DROP", "ALTER", "PRAGMA")
SCHEMA_TABLES = ("sqlite_schema", "sqlite_master")
MENDABLE = ("trigger", "view", "index")
NAMED = 5  # differences that a sentence names


@dataclass(frozen=True)
class Difference:
    """One object of a schema that is not as the migrations make it."""

    what: str  # missing, altered or planted
    type: str
    name: str
    harmless: bool = False  # another program's, and attached to nothing of FirmMem's

    def __str__(self) -> str:
        """Return it in words."""
        said = {"missing": "is missing", "altered": "was altered", "planted": "is not FirmMem's"}
        return f"{self.type} {self.name} {said[self.what]}"


def read_objects(connection: Connection) -> list[tuple[str, str, str, str]]:
    """Return the objects of a schema: type, name, the table they belong to, and how they are defined."""
    return [tuple(row) for row in connection.execute(OBJECTS)]


def compute_fingerprint(objects: list[tuple[str, str, str, str]]) -> str:
    """Return 32 characters that another schema would not have."""
    return blake2b(repr(objects).encode(), digest_size=16).hexdigest()


def expected_objects(applied: int) -> list[tuple[str, str, str, str]]:
    """Return the objects that so many migrations make, by making them in memory."""
    memory = connect(":memory:", isolation_level=None)
    try:
        for script in migrate.scripts()[:applied]:
            for statement in migrate.statements(script, complete_statement):
                if defines(statement):
                    memory.execute(statement)
        return read_objects(memory)
    finally:
        memory.close()


def defines(statement: str) -> bool:
    """Return whether a statement changes the schema; others change rows, of which there are none."""
    lines = (line.strip() for line in statement.splitlines())
    first = next((line.split()[0].upper() for line in lines if line and not line.startswith("--")), "")
    return first in DEFINES or (first == "UPDATE" and any(name in statement for name in SCHEMA_TABLES))


def find_differences(connection: Connection, applied: int) -> list[Difference]:
    """Return how the schema of a file differs from what its migrations make; as a rule, one hash is compared."""
    objects = read_objects(connection)
    if applied <= len(FINGERPRINTS) and compute_fingerprint(objects) == FINGERPRINTS[applied - 1]:
        return []
    found: dict[tuple[str, str], Any] = {each[:2]: each for each in objects}
    wanted = {each[:2]: each for each in expected_objects(applied)}
    ours = {each[2].lower() for each in wanted.values()}
    differences = [
        Difference("missing" if key not in found else "altered", *key)
        for key, each in wanted.items()
        if found.get(key) != each and (key in found or key != ("table", INDEX))
    ]
    return differences + [
        Difference("planted", *key, harmless=each[2].lower() not in ours)
        for key, each in found.items()
        if key not in wanted
    ]


def check_schema(connection: Connection, path: Path) -> None:
    """Hold the schema of a file to its migrations.

    Raises:
        DamagedFileError: It was changed by another program.
    """
    connection.execute("BEGIN")  # one view of both: another process may be bringing the file to a newer schema
    try:
        applied = migrate.schema_version(connection)
        differences = find_differences(connection, applied) if applied else []
    finally:
        connection.execute("ROLLBACK")
    harmful = [each for each in differences if not each.harmless]
    if harmful:
        raise DamagedFileError(
            f"The schema of {path} was changed by another program ({name_some(harmful)}): {advise(harmful)}"
        )


def name_some(differences: list[Difference]) -> str:
    """Return the first differences in words."""
    more = f", and {len(differences) - NAMED} more" if len(differences) > NAMED else ""
    return ", ".join(map(str, differences[:NAMED])) + more


def advise(differences: list[Difference]) -> str:
    """Return what to do about a schema that was changed."""
    if all(each.type in MENDABLE for each in differences):
        return "run `firmmem doctor --repair`, or restore a backup; nothing was changed."
    return "restore a backup (`firmmem backup restore`); nothing was changed."


def mend_schema(connection: Connection, applied: int) -> list[Difference]:
    """Put triggers, views and indexes back as the migrations make them, in a transaction; return what was put right.

    What they keep (counts of shelves, tags) is computed again. Tables are left as they are.
    """
    wanted = {each[:2]: each[3] for each in expected_objects(applied)}
    mended = [each for each in find_differences(connection, applied) if each.type in MENDABLE and not each.harmless]
    for each in mended:
        if each.what != "missing":
            quoted = each.name.replace('"', '""')
            connection.execute(f'DROP {each.type.upper()} "{quoted}"')
    if mended:
        recompute(connection)
    for each in mended:
        if each.what != "planted":
            connection.execute(wanted[each.type, each.name])
    return mended


def recompute(connection: Connection) -> None:
    """Compute again what triggers keep: how much lies on each shelf, and the tags."""
    connection.execute(
        "UPDATE shelf SET (core, strategic, validated, draft, words) = (SELECT total(tier = 'core'), "
        "total(tier = 'strategic'), total(tier = 'validated'), total(tier = 'draft'), total(length) "
        "FROM memory WHERE memory.shelf = shelf.id)"
    )
    connection.execute("DELETE FROM memory_tag")
    connection.execute(
        "INSERT OR IGNORE INTO memory_tag (shelf, tag, memory) "
        "SELECT memory.shelf, value, memory.id FROM memory, json_each(memory.tags)"
    )
