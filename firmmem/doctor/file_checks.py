"""What is in the file: its library, its journal, its schema, whether it is whole, and whether upkeep is done."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from firmmem.dates.moments import format_time
from firmmem.doctor.finding import Finding
from firmmem.errors import FirmMemError
from firmmem.store import write_lock
from firmmem.store.file_errors import GARBLED, damaged_sentence, explain_error
from firmmem.store.file_identity import can_write
from firmmem.store.migrate import schema_version, scripts
from firmmem.store.opening import connect_to
from firmmem.store.schema_check import advise, find_differences, name_some
from firmmem.store.search_index import NAME, is_searchable
from firmmem.store.sqlite import MODULE, SQLITE_VERSION, Error, has_wal_bug, is_busy
from firmmem.store.statements import Connection, fetch, transaction

OVERDUE_DAYS = 3.0
COMPARED = 200_000  # memories that the search index is compared with; beyond, one look at the newest is taken


def check_library() -> Iterator[Finding]:
    """Say which SQLite this is, and whether it has the WAL bug."""
    name = f"SQLite {'.'.join(map(str, SQLITE_VERSION))} ({MODULE})"
    if has_wal_bug():
        yield Finding(
            "sqlite",
            "warning",
            f"{name} has a bug that can damage a WAL file which two processes write (fixed in 3.51.3): new files use "
            "the rollback journal; install pysqlite3, or a newer Python.",
        )
    else:
        yield Finding("sqlite", "ok", f"{name}, without the WAL-reset bug")


def check_contents(path: Path, now: float) -> Iterator[Finding]:
    """Look into the file; one that can't be used is said to be so."""
    if not path.exists():
        yield Finding("file", "note", f"{path} does not exist yet: the first write makes it")
        return
    try:
        with closing(connect_for_looking(path)) as connection:
            yield Finding("file", "ok", f"{path}, {path.stat().st_size:,} bytes")
            applied = schema_version(connection)
            yield check_version(applied, path)
            if applied:
                yield from check_objects(connection, applied)
            yield check_journal(connection, path)
            if applied:
                yield from check_integrity(connection)
                yield from check_search_index(connection, path)
                yield from check_upkeep(connection, now)
                yield from check_refusals(connection)
                yield from check_erasures(connection)
    except FirmMemError as error:
        yield Finding("file", "wrong", str(error))
    except Error as error:
        yield Finding("file", "wrong", str(explain_error(path, error)))
    except GARBLED:
        yield Finding("file", "wrong", str(damaged_sentence(path, "its text is garbled")))


def check_erasures(connection: Connection) -> Iterator[Finding]:
    """Say where remains of what a person erased may still be in the file."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'erasure'").fetchall():
        count = len(fetch(connection, "erasures_unfinished"))
        if count:
            said = f"{count} erased, and remains may still be in the file: run `firmmem erase --finish`"
            yield Finding("erase", "warning", said)


def connect_for_looking(path: Path) -> Connection:
    """Connect to a file without changing it; a connection that may not write does not see what a CHECK forbids."""
    connection = connect_to(path, "?mode=rw" if can_write(path) else "?mode=ro")
    connection.execute("PRAGMA query_only = ON")
    return connection


def check_objects(connection: Connection, applied: int) -> Iterator[Finding]:
    """Say whether tables, triggers, views and indexes are as the migrations make them."""
    differences = find_differences(connection, applied)
    harmful = [each for each in differences if not each.harmless]
    if harmful:
        yield Finding("schema", "wrong", f"changed by another program: {name_some(harmful)}: {advise(harmful)}")
    elif differences:
        yield Finding(
            "schema", "warning", f"{name_some(differences)}, and touches no memory: remove it if it is not yours"
        )
    else:
        yield Finding("schema", "ok", "tables, triggers, views and indexes are as the migrations make them")


def check_version(applied: int, path: Path) -> Finding:
    """Say which schema the file has."""
    known = len(scripts())
    if not applied:
        return Finding("schema", "note", f"{path} is empty: the first write fills it")
    if applied < known:
        return Finding("schema", "note", f"schema {applied}; a server that starts brings it to {known}, with a backup")
    return Finding("schema", "ok", f"schema {applied}, the newest")


def check_journal(connection: Connection, path: Path) -> Finding:
    """Say how the file keeps what is being written."""
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    lock = write_lock.lock_path(path).exists()
    if mode == "wal" and has_wal_bug():
        return Finding(
            "journal",
            "warning",
            "WAL, with a SQLite that has the WAL bug: writers take turns by a side lock; use the same, newer SQLite in "
            "every client.",
        )
    if lock:
        return Finding(
            "journal",
            "note",
            f"{mode}; writers take turns by {write_lock.lock_path(path).name}, "
            "since a SQLite with the WAL bug was here: "
            "doctor --repair ends that once no such client is left",
        )
    return Finding("journal", "ok", f"{mode}, and every answered write is on the disk (synchronous=FULL)")


def check_integrity(connection: Connection) -> Iterator[Finding]:
    """Say whether SQLite finds every page and row as it should be; the search index is looked at by itself."""
    said: list[str] = []
    for table in list_tables(connection):
        said += [row[0] for row in connection.execute(f"PRAGMA integrity_check('{table}')") if row[0] != "ok"]
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if said:
        yield Finding("integrity", "wrong", f"{said[0]}: restore a backup (firmmem backup restore).")
    elif broken:
        yield Finding("integrity", "wrong", f"{len(broken)} rows refer to what is not there: restore a backup.")
    else:
        [(count,)] = connection.execute("SELECT count(*) FROM memory")
        yield Finding("integrity", "ok", f"every page and row is whole; {count:,} memories")


def list_tables(connection: Connection) -> list[str]:
    """Return the file's tables, without those of the search index."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    return [row[0] for row in rows if not row[0].startswith((f"{NAME}_", "sqlite_"))]


def check_search_index(connection: Connection, path: Path) -> Iterator[Finding]:
    """Say whether the search index answers, and holds what the memories hold."""
    if is_searchable(connection) and (not can_write(path) or compare_search_index(path)):
        yield Finding("search index", "ok", "it finds what the memories hold")
    else:
        yield Finding(
            "search index",
            "wrong",
            "it is damaged, the memories are not: firmmem doctor --repair builds it anew, no restart is needed.",
        )


def compare_search_index(path: Path) -> bool:
    """Compare the search index with the memories, in a transaction that is taken back."""
    with closing(connect_to(path, "?mode=rw")) as connection:
        connection.path = Path(os.path.realpath(path))
        [(many,)] = connection.execute("SELECT count(*) > ? FROM memory", (COMPARED,))
        if many:
            return True
        try:
            with transaction(connection):
                connection.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")
        except Error as error:
            return is_busy(error)  # of nothing else but the index can this statement complain
    return True


def check_upkeep(connection: Connection, now: float) -> Iterator[Finding]:
    """Say whether the periodic work is done; a file of an older schema has none."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'job'").fetchall():
        return
    late = [
        f"{name} {format_stretch(now - last)}"
        for name, last in connection.execute("SELECT name, last_run FROM job WHERE last_run IS NOT NULL")
        if not 0 <= now - last <= OVERDUE_DAYS * 86_400
    ]
    if late:
        yield Finding("upkeep", "note", f"overdue: last run {', '.join(late)}; a server that starts does it")
    else:
        yield Finding("upkeep", "ok", "nothing is overdue")


def check_refusals(connection: Connection) -> Iterator[Finding]:
    """Say how many writes were not stored, why, and when the last one was."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'refusal'").fetchall():
        return
    rows = fetch(connection, "refusals")
    said = [f"{row['times']}× {row['word']} ({row['reason']}), last {format_time(row['last_at'])}" for row in rows]
    yield Finding("not stored", "note" if said else "ok", "; ".join(said) or "no write was refused")


def format_stretch(seconds: float) -> str:
    """Return a stretch of time in words; one ahead of now is a clock that was set back."""
    return f"{seconds / 86_400:.0f} days ago" if seconds >= 0 else "ahead of this clock, which was set back"
