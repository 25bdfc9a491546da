"""How writers wait for each other: SQLite's own way, a polled side lock, and a polled BEGIN, side by side."""

import multiprocessing
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from firmmem.store import write_lock
from firmmem.store.opening import connect_to
from firmmem.store.statements import Connection

WAYS = ("SQLite's busy handler", "a polled side lock", "BEGIN polled (FirmMem)")


def compared(folder: Path, *, writers: int, writes: int, rounds: int, tick: Callable[[], object]) -> list[list[str]]:
    """Return a row for each way: median, 99th percentile and longest write in milliseconds, all rounds together."""
    took: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way in WAYS:
            took[way] += measured(folder / f"{number} {WAYS.index(way)}.db", way, writers, writes)
            tick()
    return [[way, *(f"{1000 * value:.1f}" for value in summary(seconds))] for way, seconds in took.items()]


def summary(seconds: list[float]) -> tuple[float, float, float]:
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)], ordered[-1]


def measured(path: Path, way: str, writers: int, writes: int) -> list[float]:
    path.touch()
    file = connect_to(path, "?mode=rw")
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("CREATE TABLE written (text TEXT)")
    file.close()
    if way == WAYS[1]:
        write_lock.make_lock_file(path)
    queue: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=write, args=(path, way, writes, queue)) for _ in range(writers)]
    for process in processes:
        process.start()
    seconds = [value for _ in processes for value in queue.get()]
    for process in processes:
        process.join()
    return seconds


def write(path: Path, way: str, writes: int, queue: "multiprocessing.Queue[list[float]]") -> None:
    file = connect_to(path, "?mode=rw")
    file.execute("PRAGMA synchronous = FULL")
    seconds = []
    for _ in range(writes):
        began = time.perf_counter()
        one(file, path, way)
        seconds.append(time.perf_counter() - began)
        time.sleep(0.001)
    file.close()
    queue.put(seconds)


def one(file: Connection, path: Path, way: str) -> None:
    with ExitStack() as stack:
        if way == WAYS[1]:
            stack.enter_context(write_lock.side_lock(path))
        if way == WAYS[2]:
            write_lock.begin_write(file, "BEGIN IMMEDIATE", 10.0)
        else:
            file.execute("BEGIN IMMEDIATE")
        file.execute("INSERT INTO written VALUES (?)", ("x" * 800,))
        file.execute("COMMIT")
