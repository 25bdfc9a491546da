"""Does to real servers what laptops, disks and other programs do, and counts the answered writes that are lost.

    python scripts/chaos.py run                    every fault, many times over
    python scripts/chaos.py run --times 0.1        the same, a tenth as often
    python scripts/chaos.py run --only disk        those whose name has the word
    python scripts/chaos.py turns                  how writers wait for each other, measured side by side

Every file is the script's own, in a folder that is removed. Disks are mounted where root allows, and skipped with the
reason elsewhere. The exit code is 1 where anything was lost or a client was told an error.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import documents
import typer
from benching import machine
from faults import clients, commands, disks, files, processes, waiting
from faults.result import Result
from tqdm import tqdm

PAGE = Path(__file__).resolve().parent / "CHAOS.md"
HEADER = ("Fault", "Writes answered", "Lost, damaged, or an error to a client", "Median ms", "p99 ms")

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Write = Annotated[bool, typer.Option("--write", help="Put the table into scripts/CHAOS.md.")]


@dataclass(frozen=True)
class Fault:
    """A fault, how often it is done, and the name of that number in its arguments."""

    do: Callable[..., Result]
    times: int
    counted: str
    ticks: int = 1  # of the progress bar, each time


FAULTS = {
    "together": Fault(processes.together, 12, "runs", 6),
    "killed": Fault(processes.killed, 60, "kills"),
    "all killed": Fault(processes.all_killed, 20, "rounds"),
    "stopped": Fault(processes.stopped, 20, "stops"),
    "cancelled": Fault(processes.cancelled, 1000, "requests"),
    "commands": Fault(commands.beside_servers, 6, "rounds"),
    "idle": Fault(processes.idle, 30, "servers"),
    "import killed": Fault(commands.import_killed, 20, "kills"),
    "damaged": Fault(files.damaged, 60, "files"),
    "taken": Fault(files.taken, 60, "times"),
    "clock": Fault(files.stepped, 60, "steps"),
    "malformed": Fault(clients.malformed, 5000, "lines"),
    "outsized": Fault(clients.outsized, 100, "calls"),
    "never reading": Fault(clients.never_reading, 10, "clients"),
    "ended while busy": Fault(clients.ended_while_busy, 30, "ends"),
    "disk full": Fault(disks.full, 20, "rounds"),
    "disk read-only": Fault(disks.read_only, 10, "rounds"),
    "disk without power": Fault(disks.power_loss, 20, "rounds"),
}


@app.command()
def run(
    times: Annotated[float, typer.Option(min=0.001, help="How often each fault is done: 1 is as often as listed.")] = 1,
    only: Annotated[str, typer.Option(help="Only faults whose name has this word.")] = "",
    write: Write = False,
) -> None:
    """Do every fault, and print what was lost."""
    if write and only:
        raise typer.BadParameter("--write keeps the figures of all faults: leave --only out")
    chosen = {name: fault for name, fault in FAULTS.items() if only in name}
    results = []
    for name, fault in chosen.items():
        count = max(1, round(fault.times * times))
        with tempfile.TemporaryDirectory(prefix="firmmem-chaos-") as folder, bar(name, count * fault.ticks) as tick:
            began = time.monotonic()
            result = fault.do(Path(folder), tick=tick, **{fault.counted: count})
        results.append(result)
        print(" | ".join(result.row()), f"| {time.monotonic() - began:.0f} s", flush=True)
    table = documents.table(HEADER, [result.row() for result in results])
    report("faults", f"`python scripts/chaos.py run --times {times:g}`:\n\n{table}", write)
    raise typer.Exit(int(any(result.faults for result in results)))


@app.command()
def turns(
    writers: Annotated[int, typer.Option(min=1)] = 6,
    writes: Annotated[int, typer.Option(min=10, help="By each, each round.")] = 150,
    rounds: Annotated[int, typer.Option(min=1, help="Of each way, in turn.")] = 3,
    write: Write = False,
) -> None:
    """Let processes write one file in three ways of waiting, in turn so that they meet the same load."""
    with tempfile.TemporaryDirectory(prefix="firmmem-turns-") as folder, bar("turns", rounds * 3) as tick:
        rows = waiting.compared(Path(folder), writers=writers, writes=writes, rounds=rounds, tick=tick)
    head = ("Waiting by", "Median ms", "p99 ms", "Longest ms")
    command = f"`python scripts/chaos.py turns --writers {writers} --writes {writes} --rounds {rounds}`"
    told = f"{command}: {writers} processes, {rounds}×{writes} writes each."
    report("turns", f"{told}\n\n{documents.table(head, rows)}", write)


def report(name: str, table: str, write: bool) -> None:
    """Print a table with its machine, and keep it where asked."""
    text = f"{table}\n\nMeasured on {machine.description()}."
    print(text)
    if write:
        documents.between(PAGE, name, text)


@contextmanager
def bar(name: str, total: int) -> Iterator[Callable[[], Any]]:
    """Hold a progress bar, and yield what moves it on."""
    with tqdm(total=total, desc=name, leave=False) as shown:
        yield shown.update


if __name__ == "__main__":
    app()
