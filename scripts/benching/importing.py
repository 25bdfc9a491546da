"""How long an import takes, against another FirmMem, and how long it keeps another client waiting."""

import hashlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benching import words
from firmmem.contract import Author, NewMemory
from firmmem.memory.exchange.record import FORMAT, MemoryRecord, format_line, format_record
from firmmem.memory.write.write import check_memory, store_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction

NOW = 1_790_000_000.0
PAUSE = 0.1  # seconds between two writes of the other client


@dataclass(frozen=True)
class Waits:
    """What another client met while an import ran."""

    seconds: float  # of the import
    writes: int
    longest: float  # seconds of a write
    seen: frozenset[int]  # how many of the import's memories a reader saw


def write_export(file: Path, size: int) -> None:
    """Write an export of so many memories."""
    digest, chance = hashlib.sha256(), random.Random(7)  # noqa: S311
    with file.open("wb") as out:
        for line in (format_line({"type": "firmmem", "format": FORMAT, "namespace": ""}), *lines(size, chance)):
            out.write(line)
            digest.update(line)
        out.write(format_line({"type": "end", "records": size, "sha256": digest.hexdigest()}))


def lines(size: int, chance: random.Random) -> Iterator[bytes]:
    """Yield the lines of memories, a fifth of them in Chinese."""
    for number in range(1, size + 1):
        text = f"用户在会议上决定采用方案{number}，因为它更快" if number % 5 == 0 else f"{words.text(chance)} {number}"
        at = NOW - chance.random() * 100 * 86_400
        record = MemoryRecord(
            id=number, namespace="default", state="active", branch="", tier=chance.choice(("draft", "validated")),
            goal="", subject="", summary=text, tags=[f"t{number % 50}"], source="bench", importance=0.5,
            initial_trust=0.5, trust=0.5, consolidation=0.0, recall_count=0, strength=1.0, created_at=at,
            reviewed_at=at, state_at=at, state_cause="", state_reason="", superseded_by=None, supersedes=[],
        )  # fmt: skip
        yield format_record(record)


def start_import(python: str, db: Path, export: Path, env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start an import in a process of its own."""
    command = [python, "-m", "firmmem", "import", "--db", str(db), str(export)]
    return subprocess.Popen(command, env={**os.environ, **env}, stdout=subprocess.DEVNULL)


def time_import(python: str, db: Path, export: Path, env: Mapping[str, str]) -> float:
    """Return the seconds that an import takes by itself."""
    began = time.perf_counter()
    if start_import(python, db, export, env).wait() != 0:
        raise RuntimeError(f"the import by {python} failed")
    return time.perf_counter() - began


def measure_waits(db: Path, export: Path) -> Waits:
    """Return what another client meets that writes into the same namespace while an import runs."""
    settings = Settings(db=db)
    connection = open_connection(settings)
    began, longest, writes, seen = time.perf_counter(), 0.0, 0, set()
    child = start_import(sys.executable, db, export, {})
    while child.poll() is None:
        new = check_memory(NewMemory(f"The other client writes number {writes}", "draft", "default"), settings)
        started = time.perf_counter()
        with transaction(connection):
            store_memory(connection, new, Author("other", "bench"), settings, now=NOW)
        longest, writes = max(longest, time.perf_counter() - started), writes + 1
        query = "SELECT sum(draft + validated) AS n FROM shelf WHERE state = 'active' AND branch = ''"
        seen.add(int(connection.execute(query).fetchone()["n"]) - writes)
        time.sleep(PAUSE)
    connection.close()
    return Waits(time.perf_counter() - began, writes, longest, frozenset(seen))
