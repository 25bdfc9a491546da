"""What remains of an erased row in a file: the parts of the search index, free pages, the WAL; and taking it out."""

import mmap
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from firmmem.errors import BusyFileError
from firmmem.store import write_lock
from firmmem.store.file_errors import explain_file_errors
from firmmem.store.statements import Connection, run, transaction

PAGES = 500  # of the search index merged in one transaction
COMPANIONS = ("", "-wal", "-shm", "-journal")


def remove_remains(connection: Connection) -> None:
    """Rewrite the search index, then the whole file, then empty the WAL: only what the rows say now is left.

    Others read meanwhile; they write between the transactions, but not while the file is rewritten.

    Raises:
        BusyFileError: Another process is in the way; what remains is still there.
    """
    path = connection.path
    assert path is not None  # noqa: S101 - every connection that is opened for writing has one
    connection.execute("PRAGMA secure_delete = ON")
    try:
        with explain_file_errors(path):
            merge_whole_index(connection)
            with write_lock.side_lock(path):
                connection.execute("VACUUM")
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except BusyFileError as error:
        raise remaining_sentence(path) from error
    if busy:
        raise remaining_sentence(path)


def merge_whole_index(connection: Connection) -> None:
    """Merge the search index into one part, in which a deleted row's words are no longer, in short transactions."""
    pages = -PAGES  # below zero: every part takes part
    more = True
    while more:
        before = connection.total_changes
        with transaction(connection):
            run(connection, "merge", pages=pages)
        more = connection.total_changes - before > 1  # FTS5 changes a row even where it finds nothing to do
        pages = PAGES


def remaining_sentence(path: Path) -> BusyFileError:
    """Return what it means that another process is in the way of the last step."""
    return BusyFileError(
        f"It is erased from all that reads {path}, but another process is using the file, so that remains may still be "
        "in it: end that process, then run `firmmem erase --finish`."
    )


def files_that_hold(paths: Iterable[Path], text: str) -> list[Path]:
    """Return which files still have the beginning of a text in their bytes, in UTF-8 or UTF-16."""
    needles = [text.encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be")]
    return [path for path in paths if path.exists() and any(holds(path, needle[:200]) for needle in needles)]


def holds(path: Path, needle: bytes) -> bool:
    """Return whether a file has these bytes."""
    with suppress(ValueError), path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
        return held.find(needle) >= 0
    return False  # an empty file can't be mapped
