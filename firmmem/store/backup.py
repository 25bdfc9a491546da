"""Backup: a copy of the file as it is at one moment, checked, while others write; and putting one back."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.errors import BusyFileError, FirmMemError, LinkedFileError, UnavailableError
from firmmem.store.copy_names import list_copies, new_copy_name
from firmmem.store.copying import check_copy, copy_file, count_rows, sync_folder
from firmmem.store.file_errors import GARBLED, explain_file_errors
from firmmem.store.file_identity import can_write, file_size, other_names_warning
from firmmem.store.migrate import schema_version
from firmmem.store.opening import connect_to, hold_alone, journal_for_new_file, open_connection
from firmmem.store.schema_check import check_schema
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection

if TYPE_CHECKING:
    from firmmem.settings import Settings


@dataclass(frozen=True)
class Backup:
    """A backup that was made and checked."""

    path: Path
    memories: int
    bytes: int
    rotated: tuple[Path, ...] = ()  # older ones that made room for it


def back_up(settings: Settings, to: Path | None = None, *, now: float) -> Backup:
    """Copy the file to `to`, or to a name with the time beside it, of which the newest few are kept.

    Raises:
        UnavailableError: It can't be read or copied, or the copy is not equal; nothing is left of it.
    """
    path = Path(os.path.realpath(settings.db))
    copy = to or new_copy_name(path, "backup", now)
    with closing(open_connection(settings, writes=False)) as source, explain_file_errors(copy):
        counts = copy_file(source, copy)
    rotated = () if to else rotate(path, settings.backups_kept)
    return Backup(copy, counts["memory"], copy.stat().st_size, rotated)


def rotate(path: Path, kept: int) -> tuple[Path, ...]:
    """Remove what is older than the newest whole backups beside a file; return what was. 0 keeps all."""
    found = [each for _, each in list_copies(path, "backup")]
    whole = [each for each in found if is_whole(each)][-kept:]
    old = found[: found.index(whole[0])] if kept and whole else []
    for each in old:
        each.unlink()
        Path(f"{each}-journal").unlink(missing_ok=True)
    return tuple(old)


def is_whole(backup: Path) -> bool:
    """Return whether a copy was finished: one whose process was killed is empty, or has its journal beside it."""
    return file_size(backup) > 0 and not Path(f"{backup}-journal").exists()


def restore(settings: Settings, backup: Path, *, now: float) -> tuple[int, Path | None]:
    """Put a backup in the file's place; return how many memories it has, and where what it replaced is kept.

    Raises:
        BusyFileError: Another process has the file open.
        UnavailableError: The backup can't be used; nothing was changed.
    """
    path = Path(os.path.realpath(settings.db))
    if os.path.realpath(backup) == os.path.realpath(path):
        raise UnavailableError(f"{backup} is the file itself: name a backup of it.")
    with explain_file_errors(backup):
        if not backup.is_file():
            raise UnavailableError(f"There is no backup {backup}.")
        with closing(connect_to_backup(backup)) as source:
            if not schema_version(source):
                raise UnavailableError(f"{backup} holds no memories of FirmMem.")
            check_schema(source, backup)
            counts = count_rows(source)
            check_copy(source, counts)
    with explain_file_errors(path):
        kept = replace_file(settings, path, backup, now=now)
    open_connection(settings).close()  # which brings an older schema up to date
    return counts["memory"], kept


def replace_file(settings: Settings, path: Path, backup: Path, *, now: float) -> Path | None:
    """Copy a backup into the file, under SQLite's own lock; a file that can't be opened is moved aside."""
    if file_size(path) == 0 and not Path(f"{path}-wal").exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        place_copy(backup, path)
        return None
    if linked := other_names_warning(path):
        raise LinkedFileError(f"{linked}; nothing was changed.")
    if not can_write(path):
        raise UnavailableError(f"{path} can't be written: let its user write it and its folder.")
    with suppress(Error, *GARBLED), hold_alone(path):  # a damaged file may not even show who uses it
        pass
    ready = new_copy_name(path, "restored", now)
    place_copy(backup, ready)  # whole and checked, before anything is changed
    try:
        return put_in_place(settings, path, ready, now=now)
    finally:
        ready.unlink(missing_ok=True)


def put_in_place(settings: Settings, path: Path, ready: Path, *, now: float) -> Path:
    """Let a checked copy take the place of the file; return where what it replaces is kept."""
    kept = new_copy_name(path, "replaced", now)
    if not is_readable(settings):
        for ending in ("", "-wal", "-shm", "-journal"):
            if Path(f"{path}{ending}").exists():
                Path(f"{path}{ending}").rename(f"{kept}{ending}")
        ready.rename(path)
        sync_folder(path.parent)
        return kept
    with hold_alone(path) as target:  # until it is done: what is written before is kept, and nothing in between
        copy_file(target, kept)
        with closing(connect_to_backup(ready)) as source:
            source.backup(target)
        target.execute(f"PRAGMA journal_mode = {journal_for_new_file()}")
    return kept


def place_copy(backup: Path, path: Path) -> None:
    """Copy a backup to where no file is."""
    with closing(connect_to_backup(backup)) as source:
        copy_file(source, path, journal_for_new_file())


def connect_to_backup(backup: Path) -> Connection:
    """Connect to a backup, wherever it lies; with what is in its WAL, if it is a copy that has one."""
    return connect_to(backup, "?mode=ro" if Path(f"{backup}-wal").exists() else "?mode=ro&immutable=1")


def is_readable(settings: Settings) -> bool:
    """Return whether the file can be opened and is whole."""
    try:
        with closing(open_connection(settings)) as connection:
            return [row[0] for row in connection.execute("PRAGMA integrity_check(1)")] == ["ok"]
    except BusyFileError:
        raise
    except (FirmMemError, Error, *GARBLED):
        return False


def used_by_others(path: Path) -> bool:
    """Return whether another process has the file open, as far as its locks tell."""
    try:
        with hold_alone(path):
            return False
    except BusyFileError:
        return True
