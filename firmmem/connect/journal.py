"""What was connected: for each file that was changed, what takes the change back, and how it was before."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firmmem.connect.changes import Change, from_plain
from firmmem.connect.files import hash_of, read, replace
from firmmem.env_file import config_folder
from firmmem.errors import InvalidArgumentError


@dataclass(frozen=True)
class Connected:
    """One file that was changed for a host.

    While the file is as it was written (`after`), its old content comes back byte by byte: from the backup, or by
    deleting it where there was no file. A person who edited it since keeps the edits, and `undo` is made in it.
    """

    host: str
    file: str
    backup: str  # empty: there was no file
    after: str  # a hash; empty: it was edited between two connections, and how it was before is not known
    at: float
    undo: tuple[dict[str, Any], ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return what takes the change back."""
        return tuple(from_plain(change) for change in self.undo)

    def original(self, now: str | None) -> tuple[bool, str | None]:
        """Return whether the file's old content is known and may come back as it was, and that content."""
        if not self.after or hash_of(now) != self.after:
            return False, None
        if not self.backup:
            return True, None
        try:
            old = read(Path(self.backup))
        except InvalidArgumentError:
            old = None
        return old is not None, old


def journal_file() -> Path:
    """Return where the records are kept."""
    return config_folder() / "connected.json"


def records() -> dict[str, Connected]:
    """Return the records by host.

    Raises:
        InvalidArgumentError: They can't be read.
    """
    text = read(journal_file())
    if text is None:
        return {}
    try:
        return {item["host"]: Connected(**(item | {"undo": tuple(item["undo"])})) for item in json.loads(text)}
    except (ValueError, TypeError, KeyError):
        raise InvalidArgumentError(f"{journal_file()} is damaged: move it away, and disconnect by hand.") from None


def keep(record: Connected) -> None:
    """Keep the record of a host."""
    save(records() | {record.host: record})


def forget(host: str) -> None:
    """Drop the record of a host."""
    save({key: record for key, record in records().items() if key != host})


def save(all_records: dict[str, Connected]) -> None:
    """Write the records."""
    text = json.dumps([asdict(record) for record in all_records.values()], ensure_ascii=False, indent=1) + "\n"
    replace(journal_file(), text, read(journal_file()))
