"""Measures how fast the server starts and answers, beside a server on the same SDK that only echoes, and its peers.

    python scripts/bench.py startup
    python scripts/bench.py recall --size 1000 --size 10000 --folder ~/.cache/firmmem-bench
    python scripts/bench.py peers --size 1000 --size 10000
    python scripts/bench.py profile --size 1000000
    python scripts/bench.py upkeep --size 1000000 --folder ~/.cache/firmmem-bench

Only ratios within one run mean something: both servers are asked in turn, so that they meet the same load. Stores
are filled once, through the product's own statements, and kept in the folder; a run that was stopped goes on where
it was.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import documents
import typer
from benching import importing, machine, meaning, profile, recall, report, servers, store, upkeep
from benching.peers import PEERS, tables, timing
from pydantic import TypeAdapter
from tqdm import tqdm

SCRIPTS = Path(__file__).resolve().parent
BENCH = SCRIPTS / "BENCH.md"
KEPT = Path(tempfile.gettempdir()) / "firmmem-bench"
SIZES = (10_000,)
T = TypeVar("T")

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Write = Annotated[
    bool, typer.Option("--write", help="Put the tables into scripts/BENCH.md, and some into docs/benchmarks.md.")
]


@app.command()
def startup(
    runs: Annotated[int, typer.Option(min=1, help="Starts of each server that count.")] = 15, write: Write = False
) -> None:
    """Start ours and the bare server in turn: time, CPU and memory until `initialize` and `tools/list`."""
    ours: list[servers.Start] = []
    bare: list[servers.Start] = []
    with tempfile.TemporaryDirectory() as folder:
        both = [(ours, servers.OURS, Path(folder) / "firmmem.db"), (bare, servers.ECHO, None)]
        for number in tqdm(range(runs + 1), desc="start", unit=" rounds"):
            for starts, command, file in both if number % 2 else reversed(both):  # the second is often the faster
                starts.append(servers.started(command, file))
    # The first start compiles what is not compiled yet.
    tell("startup", report.startup(ours[1:], bare[1:]), write=write)


@app.command("recall")
def recall_(
    size: Annotated[list[int] | None, typer.Option(min=100, help="Memories in the store; repeatable.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each case is asked.")] = 200,
    folder: Annotated[Path, typer.Option(help="Where stores and finished measurements are kept.")] = KEPT,
    again: Annotated[bool, typer.Option("--again", help="Measure sizes again that are finished.")] = False,
    write: Write = False,
) -> None:
    """Ask a server over stdio, at each size, what clients ask; the bare server's echo is among it."""
    folder.mkdir(parents=True, exist_ok=True)
    measured = [
        once(
            folder / f"measured-{each}.json",
            recall.Measured,
            lambda each=each: recall.measure(store.filled(folder, each), each, rounds),
            again=again,
        )
        for each in size or SIZES
    ]
    parts = [report.overview(measured), *map(report.write_cost, measured), *map(report.details, measured)]
    tell("recall", "\n\n".join(parts), write=write)
    if write:
        told = machine.description()
        documents.in_benchmarks("bench", lambda chinese: f"{report.overview(measured, chinese=chinese)}\n\n{told}")


@app.command()
def model(
    size: Annotated[int, typer.Option(min=100, help="Memories in the store.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often it is asked.")] = 100,
    folder: Annotated[Path, typer.Option(help="Where stores are kept.")] = KEPT,
    write: Write = False,
) -> None:
    """Ask a server that has the model loaded, and one without: time, CPU and memory."""
    folder.mkdir(parents=True, exist_ok=True)
    found = meaning.measure(store.filled(folder, size), rounds)
    tell("model", meaning.report(found, size), write=write)


@app.command()
def peers(
    size: Annotated[list[int] | None, typer.Option(min=100, help="Memories in each file; repeatable.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 100,
    minutes: Annotated[float, typer.Option(min=0, help="The longest that a peer may take to be filled.")] = 10,
    folder: Annotated[Path, typer.Option(help="Where environments, files and finished measurements are kept.")] = KEPT,
    again: Annotated[bool, typer.Option("--again", help="Measure sizes again that are finished.")] = False,
    write: Write = False,
) -> None:
    """Ask other memory servers what FirmMem is asked, in turn with it; each is installed from its registry."""
    folder.mkdir(parents=True, exist_ok=True)
    compared = [
        once(
            folder / f"peers-{each}.json",
            timing.Compared,
            lambda each=each: timing.compare(folder, each, rounds, minutes * 60, PEERS),
            again=again,
        )
        for each in size or SIZES
    ]
    tell("peers", tables.whole(compared), write=write)
    if write:
        fullest = max(compared, key=lambda one: (len(one.stands), one.size))
        told = machine.description()
        documents.in_benchmarks("peers", lambda chinese: f"{tables.overview(fullest, chinese=chinese)}\n\n{told}")


@app.command("profile")
def profile_(
    size: Annotated[list[int] | None, typer.Option(min=100, help="Memories in the store; repeatable.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each case is asked.")] = 200,
    folder: Annotated[Path, typer.Option(help="Where stores are kept.")] = KEPT,
    write: Write = False,
) -> None:
    """Where the time of a recall and a write goes, stage by stage, from the line that comes in to the reply."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [profile.measure(store.filled(folder, each), each, rounds) for each in size or SIZES]
    tell("profile", "\n\n".join(map(profile.report, found)), write=write)


@app.command("upkeep")
def upkeep_(
    size: Annotated[list[int] | None, typer.Option(min=100, help="Memories in the store; repeatable.")] = None,
    alone: Annotated[float, typer.Option(min=0.1, help="Seconds for which the client writes with no upkeep.")] = 20.0,
    folder: Annotated[Path, typer.Option(help="Where stores and finished measurements are kept.")] = KEPT,
    again: Annotated[bool, typer.Option("--again", help="Measure jobs again that are finished.")] = False,
    write: Write = False,
) -> None:
    """Let each job of upkeep run while another client writes: time, longest lock, memory, and how long writes wait."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [upkeep.report(upkeep.measure(folder, each, alone, again=again), each) for each in size or SIZES]
    tell("upkeep", "\n\n".join(parts), write=write)


@app.command("import")
def import_(
    size: Annotated[int, typer.Option(min=1000, help="Memories of the export.")] = 100_000,
    against: Annotated[str, typer.Option(help="A checkout of another version, timed in turn with this one.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="Imports of each.")] = 1,
) -> None:
    """Import an export: seconds against another version, and what a client that writes meanwhile has to wait."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export = folder / "export.jsonl"
        importing.write_export(export, size)
        for number in range(rounds):
            if against:
                env = {"PYTHONPATH": against}
                theirs.append(importing.time_import(sys.executable, folder / f"a{number}.db", export, env))
            ours.append(importing.time_import(sys.executable, folder / f"b{number}.db", export, {}))
        waits = importing.measure_waits(folder / "c.db", export)
    ratio = f", {min(theirs) / min(ours):.2f}× as fast as the other version" if theirs else ""
    text = (
        f"{size:,} memories imported in {min(ours):.1f} s{ratio}. While another client wrote {waits.writes} times: "
        f"its longest write {waits.longest:.3f} s, and of the import it saw {sorted(waits.seen)} memories."
    )
    tell("import", text, write=False)


def once(kept: Path, kind: type[T], measure: Callable[[], T], *, again: bool) -> T:
    """Return what was measured and kept in a file, or measure it and keep it there."""
    record = TypeAdapter(kind)
    if again or not kept.exists():
        kept.write_bytes(record.dump_json(measure()))
    return record.validate_json(kept.read_bytes())


def tell(name: str, text: str, *, write: bool) -> None:
    """Print figures with the machine they are of, and keep them where asked to."""
    whole = f"{text}\n\nMeasured on {machine.description()}."
    typer.echo(f"\n{whole}\n")
    if write:
        documents.between(BENCH, name, whole)


if __name__ == "__main__":
    app()
