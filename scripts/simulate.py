"""A year in the life of a memory file, in minutes: a seeded scenario on a real file, with a picture of it.

    python scripts/simulate.py                     prints the figures and writes year.svg
    python scripts/simulate.py --days 120 --seed 3 --plot quarter.svg --json quarter.json

Four clients write, ask and judge by the functions behind the tools, with a clock that is turned by hand; upkeep runs
with each one's daily session, and what was forgotten is deleted after 30 days in the archive. It fails where a promise
does not hold: the file's size levels off, what is used is found, idle drafts are gone within four weeks, wrong
memories end in quarantine or in the archive, no core fact changes, and undoing every run that is still there brings
back each memory bit for bit.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import anyio
import typer
from simulation.life import WEEKS_OF_CHATTER, Result, live
from simulation.plot import drawn
from simulation.scenario import year

FILLING = 56  # days in which the file comes to its size
GROWTH = 0.25  # of that pace at which it may still grow in the last third: ledgers and what is used
FOUND = 0.95  # of the used facts, at every measurement
MISSED = 1 / 3  # of the last month's wrong memories may still wait for judgement


def main(
    days: Annotated[int, typer.Option(min=30, help="How long it goes on.")] = 365,
    chatter: Annotated[int, typer.Option(min=1, help="Idle drafts a day, about.")] = 12,
    seed: Annotated[int, typer.Option(help="The same seed is the same scenario.")] = 1,
    plot: Annotated[Path, typer.Option(help="Where the picture goes, as SVG.")] = Path("year.svg"),
    json: Annotated[Path | None, typer.Option(help="Where the figures go, if anywhere.")] = None,
) -> None:
    logging.disable(logging.WARNING)  # alerts of the daily check are no figures
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="firmmem-year-") as folder:
        result = anyio.run(live, year(seed, days=days, chatter=chatter), Path(folder))
    plot.write_text(drawn(result.weeks), encoding="utf-8")
    if json:
        json.write_text(result.to_json(), encoding="utf-8")
    print("\n".join(told(result)))
    print(f"{time.perf_counter() - began:.0f} s; the picture is in {plot}")
    broken = list(faults(result))
    for fault in broken:
        print(f"FAILED: {fault}", file=sys.stderr)
    raise typer.Exit(bool(broken))


def told(result: Result) -> Iterator[str]:
    """Yield the figures."""
    last = result.weeks[-1]
    yield ", ".join(f"{count} {what}s" for what, count in sorted(result.counts.items()))
    yield f"day {last.day}: {last.active} in use, {last.archived} archived, {last.quarantined} in quarantine"
    yield "file, MB: " + ", ".join(f"day {week.day} {week.size / 1e6:.2f}" for week in [*result.weeks[::8], last])
    first, third = pace(result, 0, FILLING), pace(result, 2 * last.day // 3, last.day)
    yield f"it grows by {first:.0f} bytes a day until day {FILLING}, by {third:.0f} in the last third"
    yield "rows: " + "; ".join(rows_of(result, name) for name in last.records)
    yield f"oldest idle draft in use: {max(week.oldest_chatter for week in result.weeks):.1f} days"
    yield f"used facts among the first ten: {min(week.found for week in result.weeks):.1%} at the least"
    yield f"wrong memories: {', '.join(f'{key} {state}' for key, state in result.wrong.items())}"
    yield f"core facts unchanged: {'yes' if result.core_unchanged else 'no'}"
    yield f"undone: {result.restored} brought back, {result.not_restored} of them not as they were"


def rows_of(result: Result, name: str) -> str:
    """Return how many rows a table had as the file was filled, after two thirds, and at the end."""
    last = result.weeks[-1].day
    counts = [
        [week.records[name] for week in result.weeks if week.day <= day][-1] for day in (FILLING, 2 * last // 3, last)
    ]
    return f"{name} {', '.join(map(str, counts))}"


def pace(result: Result, first: int, last: int) -> float:
    """Return by how many bytes a day the file grew between two days."""
    weeks = [week for week in result.weeks if first <= week.day <= last]
    return (weeks[-1].size - weeks[0].size) / max(1, weeks[-1].day - weeks[0].day)


def faults(result: Result) -> Iterator[str]:
    """Yield the promises that did not hold."""
    last = result.weeks[-1].day
    filling, still = pace(result, 0, FILLING), pace(result, 2 * last // 3, last)
    if last > 4 * FILLING and still > GROWTH * filling:
        yield f"the file grew by {filling:.0f} bytes a day at first, and by {still:.0f} still at the end"
    if min(week.found for week in result.weeks) < FOUND:
        yield "used facts were not found"
    if max(week.oldest_chatter for week in result.weeks) > WEEKS_OF_CHATTER:
        yield "idle drafts stayed"
    standing = [key for key, state in result.wrong.items() if state == "active"]
    if len(standing) > max(1, MISSED * len(result.wrong)):
        yield f"wrong memories still stand: {', '.join(standing)}"
    if not result.core_unchanged:
        yield "core facts changed"
    if result.not_restored or not result.restored:
        yield f"{result.restored} memories came back, {result.not_restored} of them not as they were"


if __name__ == "__main__":
    typer.run(main)
