"""Hermes: its notes, entries between lines with §, and the facts of its holographic memory."""

from collections.abc import Iterator
from pathlib import Path

from firmmem.errors import InvalidArgumentError
from firmmem.importers.found import Found, as_tags, parse_time
from firmmem.importers.tables import is_sqlite, rows_of

NOTES = ("MEMORY.md", "USER.md")
TRUSTED = 0.7  # of a fact that proved right: half is what a new one has


def find_hermes(path: Path) -> Iterator[Found]:
    """Yield what a note, a database of facts, or Hermes' whole folder holds.

    Raises:
        InvalidArgumentError: There is none of them.
    """
    files = [path] if path.is_file() else [path / part / name for part in ("memories", "") for name in NOTES]
    files += [] if path.is_file() else [path / "memory_store.db"]
    there = [file for file in files if file.is_file()]
    if not there:
        raise InvalidArgumentError(f"{path} holds neither memories/MEMORY.md nor memory_store.db of Hermes.")
    for file in there:
        yield from find_facts(file) if is_sqlite(file) else find_notes(file)


def find_notes(file: Path) -> Iterator[Found]:
    """Yield the entries of MEMORY.md or USER.md."""
    written = file.stat().st_mtime
    entries = "\n".join(file.read_text(encoding="utf-8-sig").splitlines()).split("\n§\n")
    for number, entry in enumerate(entries, 1):
        if entry.strip(" \n§"):
            yield Found(f"{file.name}, entry {number}", entry.strip(" \n§"), ("hermes",), written, confirmed=True)


def find_facts(file: Path) -> Iterator[Found]:
    """Yield the facts of holographic memory; what proved helpful counts as confirmed."""
    for row in rows_of(file, "facts"):
        tags = (*as_tags(row.get("category")), *as_tags(row.get("tags")))
        confirmed = (row.get("trust_score") or 0) >= TRUSTED or (row.get("helpful_count") or 0) > 0
        created = parse_time(row.get("created_at"))
        yield Found(f"fact {row['fact_id']}", row["content"] or "", tags, created, confirmed=confirmed)
