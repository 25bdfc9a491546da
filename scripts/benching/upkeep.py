"""What each job of upkeep takes, and how long a client's writes wait meanwhile."""

import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from documents import table
from support.stdio_client import StdioClient
from tqdm import tqdm

from benching import cases, due, servers, store
from benching.job import NAMES, REKEY_AGAIN, Used
from benching.recall import PAUSE_S, WARM_UP, milliseconds
from firmmem.store.opening import open_connection

SHARE = 0.02  # of the memories that a job is given to change
SETTLED_S = 3.0  # after the handshake a server looks what is due
WAITS_MS = 250.0  # that a client may wait for upkeep at most
ALONE = due.NOTHING
SCRIPTS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Worked:
    """What one job took, and the seconds that each of the client's writes waited meanwhile."""

    name: str
    used: Used | None
    waits: list[float]

    @classmethod
    def from_json(cls, value: dict[str, object]) -> "Worked":
        used = value["used"]
        return cls(**value | {"used": Used(**used) if isinstance(used, dict) else None})  # type: ignore[arg-type]


def measure(folder: Path, size: int, alone: float, *, again: bool) -> list[Worked]:
    """Let every job run on one copy of a store; what was finished before stays, and the copy goes at the end."""
    kept, copy = folder / f"upkeep-{size}.json", folder / f"upkeep-{size}.db"
    known = [] if again or not kept.exists() else list(map(Worked.from_json, json.loads(kept.read_text("utf-8"))))
    left = [name for name in (ALONE, *NAMES) if name not in {each.name for each in known}]
    if left and (not known or not copy.exists()):
        known, left = [], [ALONE, *NAMES]
        shutil.copyfile(store.filled(folder, size), copy)
    if left:
        due.give(copy, ALONE, 0)  # or the client's server would begin what is due
        with servers.serving(servers.OURS, copy) as client:
            time.sleep(SETTLED_S)
            for name in tqdm(left, desc=f"upkeep {size:,}", unit=" jobs"):
                known.append(measured(client, copy, name, round(SHARE * size), alone))
                kept.write_text(json.dumps([asdict(each) for each in known]), encoding="utf-8")
    for each in folder.glob(f"{copy.name}*"):
        each.unlink()
    return known


def measured(client: StdioClient, file: Path, name: str, count: int, alone: float) -> Worked:
    """Give a job work, and let it run while a client writes."""
    if name != REKEY_AGAIN:
        due.give(file, name, count)
    first = memories(file)
    for number in range(WARM_UP):
        write(client, first + number)
    if name == ALONE:
        until = time.perf_counter() + alone
        return Worked(name, None, writing(client, first + WARM_UP, lambda: time.perf_counter() < until))
    with process(file, name) as job:
        waits = writing(client, first + WARM_UP, lambda: job.poll() is None)
        said = job.stdout.read() if job.stdout else ""
    return Worked(name, Used(**json.loads(said)), waits)


@contextmanager
def process(file: Path, name: str) -> Iterator["subprocess.Popen[str]"]:
    """Hold a process that has just begun a job."""
    command = [sys.executable, "-m", "benching.job", str(file), name]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", cwd=SCRIPTS) as job:
        try:
            assert job.stdin is not None and job.stdout is not None  # noqa: S101, PT018 - both are pipes
            if job.stdout.readline().strip() != "ready":
                raise servers.WrongAnswerError(f"{name} could not begin")
            job.stdin.write("begin\n")
            job.stdin.flush()
            yield job
        finally:
            if job.poll() is None:
                job.kill()


def writing(client: StdioClient, first: int, goes_on: Callable[[], bool]) -> list[float]:
    """Write a memory every few milliseconds for as long as something goes on; return the seconds of each write."""
    waits: list[float] = []
    while goes_on() or not waits:
        waits.append(write(client, first + len(waits)))
        time.sleep(PAUSE_S)
    return waits


def write(client: StdioClient, number: int) -> float:
    seconds, _ = servers.timed(client, cases.WRITE, {"summary": cases.written(number)})
    return seconds


def memories(file: Path) -> int:
    connection = open_connection(store.settings_of(file), writes=False)
    try:
        return int(connection.execute("SELECT count(*) FROM memory").fetchone()[0])
    finally:
        connection.close()


def report(found: Sequence[Worked], size: int) -> str:
    """Return the jobs as a table, and the longest wait of all."""
    header = (
        *(f"{size:,} memories", "what it did", "went through", "wall, s", "CPU, s", "longest lock, ms (CPU)"),
        "memory, MB",
        *("writes", "median, ms", "p99, ms", "longest, ms"),
    )
    rows = [[*job_cells(each), *wait_cells(each.waits)] for each in found]
    longest = max(max(each.waits) for each in found if each.used) * 1000
    alone = max(max(each.waits) for each in found if not each.used) * 1000
    said = (
        f"The longest that a write of the other client took during a job is {longest:.0f} ms, and {alone:.0f} ms with "
        f"no upkeep; aimed at is at most {WAITS_MS:.0f} ms of waiting for upkeep."
    )
    return f"{table(header, rows)}\n\n{said}"


def job_cells(each: Worked) -> list[str]:
    used = each.used
    if used is None:
        return [each.name, *"––––––"]
    lock = f"{used.longest_lock * 1000:.0f} ({used.longest_lock_cpu * 1000:.0f})" if used.locks else "none"
    said = "nothing to do" if each.name == REKEY_AGAIN else used.said
    figures = [f"{used.seconds:.1f}", f"{used.cpu:.1f}", lock, f"{used.more_mb:+.0f}"]
    return [each.name, said, f"{used.memories:,}", *figures]


def wait_cells(waits: Sequence[float]) -> list[str]:
    shares = (statistics.median(waits) * 1000, milliseconds(waits, 0.99), max(waits) * 1000)
    return [f"{len(waits):,}", *(f"{each:.0f}" for each in shares)]
