"""Erase in copies: backups next to the file, and backups and exports that a person names, each replaced when done."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.exchange.read_lines import read_records
from firmmem.memory.exchange.record import FORMAT, MemoryRecord, ProposalRecord, format_line, format_record
from firmmem.memory.hand.action import record_action
from firmmem.memory.hand.erase import Target, erase_rows, finish_erasures
from firmmem.memory.rows.shelves import memory_identity
from firmmem.store.backup import connect_to_backup
from firmmem.store.copying import copy_file, sync_folder
from firmmem.store.file_errors import explain_file_errors
from firmmem.store.opening import open_connection
from firmmem.store.statements import fetch, transaction

if TYPE_CHECKING:
    from firmmem.settings import Settings

KINDS = (".backup", ".bak", ".replaced", ".restored", ".rescued")  # copies that FirmMem makes next to the file
WORK = ".erasing"  # what a copy becomes before it takes the copy's place
SQLITE = b"SQLite format 3\0"


def find_copies(path: Path) -> list[Path]:
    """Return the copies of a file next to it, and what an erasure that was ended left of one."""
    beside = path.parent.glob(f"{path.name}.*") if path.parent.is_dir() else []
    return sorted(each for each in beside if each.suffix in KINDS and each.is_file() and each.stat().st_size)


def remove_leftovers(path: Path) -> None:
    """Remove what an erasure that was ended left next to the file."""
    for each in path.parent.glob(f"{path.name}.*{WORK}*"):
        each.unlink()


def is_database(path: Path) -> bool:
    """Return whether a file is a backup; else it may be an export.

    Raises:
        InvalidArgumentError: It can't be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise InvalidArgumentError(f"{path} can't be read: {error.strerror}.") from None


def erase_in_copy(path: Path, targets: Sequence[Target], settings: Settings, *, now: float) -> int:
    """Erase memories in a backup or an export, which is replaced once that is done; return how many it held.

    Raises:
        InvalidArgumentError: It is neither.
        UnavailableError: It can't be read or written; it was left as it is.
    """
    work = Path(f"{path}{WORK}")
    clear(work)
    try:
        if is_database(path):
            count = erase_in_backup(path, work, targets, settings, now=now)
        else:
            count = erase_in_export(path, work, targets, now=now)
        if count:
            os.replace(work, path)  # noqa: PTH105 - as atomic as the call that it is
            sync_folder(path.parent)
        return count
    finally:
        clear(work)


def clear(work: Path) -> None:
    """Remove a copy that was being made, and what lies next to it."""
    for each in [work, *work.parent.glob(f"{work.name}[-.]*")]:
        each.unlink(missing_ok=True)


def erase_in_backup(path: Path, work: Path, targets: Sequence[Target], settings: Settings, *, now: float) -> int:
    """Make a copy of a backup without some memories, brought to the newest schema; return how many it held."""
    wanted = json.dumps([[each.id, each.created_at, each.identity.hex().upper()] for each in targets])
    with explain_file_errors(path), closing(connect_to_backup(path)) as source:
        copy_file(source, work)
    copy = settings.model_copy(update={"db": work})
    with closing(open_connection(copy, by_person=True)) as connection, explain_file_errors(work):
        found = [row["id"] for row in fetch(connection, "same_memories", wanted=wanted)]
        edited = [row["id"] for each in found for row in fetch(connection, "edit_versions", id=each)]
        ids = list(dict.fromkeys([*found, *edited]))
        if ids:
            with transaction(connection), record_action(connection, "erase", now=now) as action:
                action.undoable, action.said = False, f"{len(ids)} erased"
                erase_rows(connection, ids, run_id=action.run, now=now)
            finish_erasures(connection, now=now)
            connection.execute("PRAGMA journal_mode = DELETE")
    return len(ids)


def erase_in_export(path: Path, work: Path, targets: Sequence[Target], *, now: float) -> int:
    """Write an export again with tombstones in the place of some memories; return how many it held."""
    identities = {each.identity for each in targets}
    count, digest, written = 0, hashlib.sha256(), 0
    descriptor = os.open(work, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as out:
        for line, held in rewritten_lines(path, identities, now=now):
            out.write(line)
            digest.update(line)
            count += held
            written += 1
        out.write(format_line({"type": "end", "records": written - 1, "sha256": digest.hexdigest()}))
        out.flush()
        os.fsync(out.fileno())
    return count


def rewritten_lines(path: Path, identities: set[bytes], *, now: float) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of an export but the last, each with whether it held what is erased.

    Raises:
        InvalidArgumentError: It is no export.
    """
    with path.open("rb") as lines:
        header = json.loads(next(lines, b"{}")) if is_export(path) else {}
        if header.get("type") != "firmmem":
            raise InvalidArgumentError(f"{path} is neither a backup nor an export of FirmMem.")
    yield format_line({"type": "firmmem", "format": FORMAT, "namespace": header.get("namespace", "")}), False
    with path.open("rb") as lines:
        for _, record in read_records(lines):
            match record:
                case MemoryRecord():
                    text, branch = record.summary, record.branch
                    found = memory_identity(record.namespace, branch, text) in identities and record.state != "erased"
                    yield format_record(tombstone(record, now=now) if found else record), found
                case ProposalRecord() if memory_identity(record.namespace, "", record.fact) in identities:
                    yield format_record(record.model_copy(update={"fact": "(erased)", "subject": "", "tags": []})), True
                case _:
                    yield format_record(record), False


def is_export(path: Path) -> bool:
    """Return whether a file begins as an export does."""
    with path.open("rb") as file:
        return file.read(16).startswith(b'{"type":"firmmem')


def tombstone(record: MemoryRecord, *, now: float) -> MemoryRecord:
    """Return what is left of a memory in an export: its place and its ledgers, without a word of it."""
    emptied: dict[str, Any] = {
        "votes": [each.model_copy(update={"note": "", "revoked_reason": ""}) for each in record.votes],
        "moves": [each.model_copy(update={"reason": "", "was_reason": ""}) for each in record.moves],
        "quarantines": [each.model_copy(update={"reason": ""}) for each in record.quarantines],
    }
    said: dict[str, Any] = {
        "summary": "(erased)",
        "subject": "",
        "goal": "",
        "branch": "",
        "tags": [],
        "supersedes": [],
    }
    place = {"state": "erased", "state_at": now, "state_cause": "erased", "state_reason": "", "conflicts": []}
    return record.model_copy(update=said | place | emptied)
