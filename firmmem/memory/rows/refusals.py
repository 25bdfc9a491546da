"""Writes that were not stored: counted by reason, and noted in the file as soon as it takes a write again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firmmem import errors
from firmmem.errors import FirmMemError, UnavailableError
from firmmem.store.statements import run

if TYPE_CHECKING:
    from firmmem.store.database import Database
    from firmmem.store.statements import Connection

TO_A_PERSON = "left to a person"
REASONS: dict[type[FirmMemError], str] = {
    errors.RefusedTextError: "no memory: a transcript, a secret, or too long",
    errors.BusyFileError: "another process held the file",
    errors.FullDiskError: "the disk was full",
    errors.ReadOnlyFileError: "the file could not be written",
    errors.LinkedFileError: "the file had several names",
    errors.SplitFileError: "a companion of the file was deleted",
    errors.ReplacedFileError: "the file was replaced",
    errors.MissingFileError: "the file was moved or deleted",
    errors.DamagedIndexError: "the search index was damaged",
    errors.DamagedFileError: "the file was damaged",
    errors.IncompatibleFileError: "the file was another program's, or newer",
    errors.SettingsError: "a setting was wrong",
}
OTHER = "the file could not be used"


@dataclass
class Refusals:
    """What was not stored since the file last took a note of it."""

    _waiting: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)

    def note(self, word: str, reason: str, *, now: float) -> None:
        """Count one write that was not stored."""
        times, last = self._waiting.get((word, reason), (0, now))
        self._waiting[word, reason] = (times + 1, max(last, now))

    async def flush(self, database: Database) -> None:
        """Note what was counted, if the file takes it; what it doesn't take waits."""
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        try:
            await database.write(note_refusals, waiting)
        except UnavailableError:
            for key, (times, last) in waiting.items():
                more, later = self._waiting.get(key, (0, last))
                self._waiting[key] = (times + more, max(last, later))


def note_refusals(connection: Connection, waiting: dict[tuple[str, str], tuple[int, float]]) -> None:
    """Add to what was not stored, in a transaction."""
    for (word, reason), (times, last) in waiting.items():
        run(connection, "refusal_note", word=word, reason=reason, times=times, last_at=last)


def reason_for(error: FirmMemError) -> str:
    """Return why a write was not stored, in words that hold nothing of it."""
    return next((REASONS[kind] for kind in type(error).__mro__ if kind in REASONS), OTHER)
