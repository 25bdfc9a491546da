"""The figures as tables."""

import statistics
from collections.abc import Callable, Sequence

from documents import table

from benching.recall import FSYNC, Measured, Timed
from benching.servers import Start

NOTE = (
    "Each cell is the median in milliseconds and its ratio to the echo of the same run; every round asks each case "
    "once. `write` and `feedback` end on the disk."
)


def startup(ours: Sequence[Start], bare: Sequence[Start]) -> str:
    """Return what both servers used until they answered, as medians, and how they compare."""
    rows = [
        compared("wall until `initialize`, ms", ours, bare, lambda each: each.initialize_seconds * 1000),
        compared("wall until `tools/list`, ms", ours, bare, lambda each: each.list_seconds * 1000),
        compared("CPU until `initialize`, ms", ours, bare, lambda each: each.initialize_cpu * 1000),
        compared("CPU until `tools/list`, ms", ours, bare, lambda each: each.list_cpu * 1000),
        compared("RSS idle, MB", ours, bare, lambda each: each.rss_mb),
    ]
    return table((f"medians of {len(ours)} starts", "FirmMem", "bare SDK server", "difference", "ratio"), rows)


def compared(name: str, ours: Sequence[Start], bare: Sequence[Start], value: Callable[[Start], float]) -> list[str]:
    mine, other = (statistics.median(map(value, starts)) for starts in (ours, bare))
    return [name, f"{mine:.0f}", f"{other:.0f}", f"{mine - other:+.0f}".replace("-", "−"), f"{mine / other:.2f}×"]


def overview(measured: Sequence[Measured]) -> str:
    """Return one table over all sizes, a row a case."""
    names = [case.name for case in measured[0].cases]
    rows = [[name, *(cell(each, name) for each in measured)] for name in names]
    rows.append(["start to the first recall, s", *(f"{each.first_reply_seconds:.2f}" for each in measured)])
    rows.append(["RSS after it all, MB", *(f"{each.rss_mb:.0f}" for each in measured)])
    rows.append(["file, MB", *(f"{each.file_mb:.0f}" for each in measured)])
    return table(("ms (× echo)", *(f"{each.size:,}" for each in measured)), rows)


def cell(measured: Measured, name: str) -> str:
    case = named(measured, name)
    return f"{case.median:.2f} ({case.to_echo:.1f}×)"


def named(measured: Measured, name: str) -> Timed:
    [case] = [each for each in measured.cases if each.name == name]
    return case


def details(measured: Measured) -> str:
    """Return one size's table with its tails."""
    rows = [
        [case.name, f"{case.median:.2f}", f"{case.p95:.2f}", f"{case.p99:.2f}", f"{case.to_echo:.2f}×"]
        for case in measured.cases
    ]
    return table((f"{measured.size:,} memories, ms", "median", "p95", "p99", "to echo"), rows)


def write_cost(measured: Measured, name: str = "write") -> str:
    """Return how a write compares with an echo and one fsync, as medians of the same run."""
    [echo, *_], fsync = measured.cases, named(measured, FSYNC)
    ratio = (named(measured, name).median - fsync.median) / echo.median
    return f"A {name} at {measured.size:,} takes one fsync and {ratio:.2f}× the echo."
