"""What SQLite and the system say of a file, as one sentence that its user can act on."""

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path

from firmmem.errors import (
    BusyFileError,
    DamagedFileError,
    DamagedIndexError,
    FirmMemError,
    FullDiskError,
    ReadOnlyFileError,
    UnavailableError,
)
from firmmem.store import sqlite
from firmmem.store.search_index import is_index_error
from firmmem.store.sqlite import Error

# What Python makes of damaged text: in a row, in a list of tags, in SQLite's own message that quotes a damaged schema.
GARBLED = (UnicodeDecodeError, JSONDecodeError)
LEAST_ROOM = 2**16  # bytes; SQLite's shared index takes 32 KiB at a time


@contextmanager
def explain_file_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say of a file into one sentence for its user."""
    try:
        yield
    except (FirmMemError, BrokenPipeError):  # whoever reads what is printed has read enough
        raise
    except Error as error:
        raise explain_error(path, error) from error
    except GARBLED as error:
        raise damaged_sentence(path, "its text is garbled") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnavailableError(f"{path} can't be opened: {reason}. Check the path and its permissions.") from error


def explain_error(path: Path, error: Error) -> UnavailableError:
    """Return what an error of SQLite means for the user of the file."""
    name = sqlite.error_name(error)
    text = str(error)
    if is_index_error(error):
        return damaged_index_sentence(path)
    signs = ("malformed", "not a database", "Could not decode to UTF-8")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or any(sign in text for sign in signs):
        return damaged_sentence(path, text)
    if name.startswith("SQLITE_READONLY") or "readonly" in text:
        return ReadOnlyFileError(f"{path} can't be written, recall still works: let its user write it and its folder.")
    if sqlite.is_busy(error):
        return BusyFileError(f"{path} was held by another process for too long: nothing was changed, call again.")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")) or "disk is full" in text or is_full(path, text):
        return FullDiskError(f"The disk of {path} is full: nothing was changed, make room and call again.")
    return UnavailableError(f"{path} can't be used ({text}): check the path, its permissions and its disk.")


def damaged_sentence(path: Path, text: str) -> DamagedFileError:
    """Return what a file that can't be read means for its user."""
    return DamagedFileError(
        f"{path} is damaged or no SQLite file ({text}): move it and its companion files aside together, keep "
        "them, and restore a backup; nothing was changed."
    )


def damaged_index_sentence(path: Path) -> DamagedIndexError:
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
        import shutil  # it brings five archive formats with it

        return shutil.disk_usage(path.parent).free < LEAST_ROOM
    except OSError:
        return False
