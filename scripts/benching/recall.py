"""Timing calls: in every round each case once, the bare server's echo among them, so that all meet the same load."""

import os
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.stdio_client import StdioClient
from tqdm import tqdm

from benching import cases, due, ranking, servers, store

PAUSE_S = 0.02  # between calls, in which what a reply left to be done is done: an agent's calls are further apart
WARM_UP = 3  # rounds that are not counted
FSYNC = "an append of 4 KiB and fsync"
FSYNC_BYTES = b"\0" * 4096


@dataclass(frozen=True)
class Timed:
    """One case's times at one size, in milliseconds; `cpu` is what the server computed for it, 0 where unknown."""

    name: str
    median: float
    p95: float
    p99: float
    to_echo: float  # the ratio of the medians
    cpu: float


@dataclass(frozen=True)
class Measured:
    """What was measured of a store of one size."""

    size: int
    rounds: int
    cases: list[Timed]
    file_mb: float
    rss_mb: float
    first_reply_seconds: float
    ranked_ms: float = 0.0  # a recall of 20 without a query, in this process
    plain_ms: float = 0.0  # the same by scoring every row


def measure(file: Path, size: int, rounds: int) -> Measured:
    """Time every case on a copy of a store, which the writes then change; upkeep is measured by itself."""
    ids = store.ids(file, rounds + WARM_UP)
    asked = cases.cases(ids, size)
    with copied(file) as copy, servers.serving(servers.ECHO) as echo:
        began = time.perf_counter()
        with servers.serving(servers.OURS, copy) as ours:
            servers.timed(ours, cases.RECALL, {})
            first_reply = time.perf_counter() - began
            times, used = rounds_of(ours, echo, asked, copy.with_suffix(".fsync"), size, rounds)
            resident = servers.rss_mb(ours)
    counted = summaries(times, used)
    return Measured(size, rounds, counted, store.megabytes(file), resident, first_reply, *ranking.measure(file))


@contextmanager
def copied(file: Path) -> Iterator[Path]:
    copy = file.with_name(f"{file.stem}-measured.db")
    try:
        shutil.copyfile(file, copy)
        due.give(copy, due.NOTHING, 0)
        synced(copy, b"")  # else the disk is busy with it while the first rounds are measured
        yield copy
    finally:
        for each in copy.parent.glob(f"{copy.stem}.*"):
            each.unlink()


def rounds_of(
    ours: StdioClient, echo: StdioClient, asked: Sequence[cases.Case], scratch: Path, size: int, rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the seconds of each case, round by round: until its reply, and of the server's processor."""
    times: dict[str, list[float]] = {}
    used: dict[str, list[float]] = {}
    for number in tqdm(range(-WARM_UP, rounds), desc=f"measure {size:,}", unit=" rounds", mininterval=1):
        for case in (cases.ECHO, *asked):
            client = echo if case is cases.ECHO else ours
            arguments = case.arguments(number + WARM_UP)
            before = servers.cpu_ns(client)
            seconds, _ = servers.timed(client, case.tool, arguments)
            time.sleep(PAUSE_S)
            if number >= 0:
                times.setdefault(case.name, []).append(seconds)
                used.setdefault(case.name, []).append((servers.cpu_ns(client) - before) / 1e9)
        if number >= 0:
            times.setdefault(FSYNC, []).append(synced(scratch))
    return times, used


def synced(scratch: Path, data: bytes = FSYNC_BYTES) -> float:
    """Return the seconds that an append takes until this disk has it."""
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        began = time.perf_counter()
        os.write(descriptor, data)
        os.fsync(descriptor)
        return time.perf_counter() - began
    finally:
        os.close(descriptor)


def summaries(times: dict[str, list[float]], used: dict[str, list[float]]) -> list[Timed]:
    unit = statistics.median(times[cases.ECHO.name])
    found = []
    for name, seconds in times.items():
        shares = [milliseconds(seconds, share) for share in (0.5, 0.95, 0.99)]
        cpu = statistics.median(used.get(name, [0.0])) * 1000
        found.append(Timed(name, *shares, statistics.median(seconds) / unit, cpu))
    return found


def milliseconds(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))] * 1000
