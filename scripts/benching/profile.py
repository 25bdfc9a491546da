"""Where the time of a call goes: our server with a clock at its stages, asked in turn with the bare one."""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from documents import table
from tqdm import tqdm

from benching import cases, servers, store
from benching.recall import FSYNC, PAUSE_S, WARM_UP, copied, synced

CLOCKED = Path(__file__).with_name("profiled.py")
ASKED = ("recall without a query, limit 20", "recall, three ordinary words", "write")
OUTSIDE = "the client, and both pipes"
SHORTEST_US = 5.0  # a stage of less is summed up with the others


@dataclass(frozen=True)
class Profile:
    """One case's medians: microseconds until its reply, and of each stage of ours."""

    name: str
    whole: float
    stages: dict[str, float]


@dataclass(frozen=True)
class Profiles:
    """What was measured of a store of one size; `echo` and `fsync` are medians in microseconds."""

    size: int
    rounds: int
    echo: float
    fsync: float
    cases: list[Profile]


def measure(file: Path, size: int, rounds: int) -> Profiles:
    """Ask both servers in turn, on a copy of a store, and read what the clocks in ours wrote."""
    asked = [case for case in cases.cases(store.ids(file, 1), size) if case.name in ASKED]
    whole: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, copied(file) as copy, servers.serving(servers.ECHO) as echo:
        told = Path(folder) / "stages"
        with servers.serving([sys.executable, str(CLOCKED), str(told)], copy) as ours:
            for number in tqdm(range(-WARM_UP, rounds), desc=f"profile {size:,}", unit=" rounds", mininterval=1):
                for case in (cases.ECHO, *asked):
                    client = echo if case is cases.ECHO else ours
                    seconds, _ = servers.timed(client, case.tool, case.arguments(number + WARM_UP))
                    whole.setdefault(case.name, []).append(seconds)
                    time.sleep(PAUSE_S)
                whole.setdefault(FSYNC, []).append(synced(copy.with_suffix(".fsync")))
        stages = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    medians = {name: statistics.median(times[WARM_UP:]) * 1e6 for name, times in whole.items()}
    found = [
        Profile(case.name, medians[case.name], middle(stages[place :: len(asked)][WARM_UP:]))
        for place, case in enumerate(asked)
    ]
    return Profiles(size, rounds, medians[cases.ECHO.name], medians[FSYNC], found)


def middle(calls: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the median of each stage that most calls reach, in the order in which they begin."""
    every = list(calls)
    names = dict.fromkeys(name for call in every for name in call)
    medians = {name: statistics.median(call.get(name, 0.0) for call in every) for name in names}
    return {name: median for name, median in medians.items() if median}


def report(found: Profiles) -> str:
    """Return a table for each case."""
    head = (
        f"Among {found.size:,} memories the bare server's echo took {found.echo:,.0f} µs and an append with fsync "
        f"{found.fsync:,.0f}, medians of {found.rounds} rounds."
    )
    return "\n\n".join([head, *(one(each, found.echo) for each in found.cases)])


def one(profile: Profile, echo: float) -> str:
    """Return the stages of one case, what is left of its time, and how all compares with the echo."""
    told = {name: took for name, took in profile.stages.items() if took >= SHORTEST_US}
    rest = sum(profile.stages.values()) - sum(told.values())
    inside = sum(profile.stages.values())
    rows = [(name, *figures(took, echo)) for name, took in told.items()]
    rows.append((f"{len(profile.stages) - len(told)} stages below {SHORTEST_US:g} µs", *figures(rest, echo)))
    rows.append((OUTSIDE, *figures(profile.whole - inside, echo)))
    rows.append(("**until the reply is read**", *figures(profile.whole, echo)))
    return table((profile.name, "µs", "to echo"), rows)


def figures(took: float, echo: float) -> tuple[str, str]:
    return f"{took:,.0f}", f"{took / echo:.2f}×"
