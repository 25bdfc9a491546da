"""Shows what the anomaly rule catches and what it wrongly flags, beside the plain rule "outside mean ± 3σ".

    python scripts/simulate_anomalies.py
    python scripts/simulate_anomalies.py --runs 1000 --seed 7

Trusts of good memories are drawn from four shapes, bad ones are near 0.05 (normal, σ 0.02). "caught" is the share of
bad ones set aside, "good flagged" the good ones set aside of 1,000, "alert" the share of runs in which the rule set
nothing aside because it would have been more than max(3, 20 %), and told a person instead.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from firmmem.anomaly_rule import find_outliers, outside_three_sigma, too_many

SIZES = (20, 50, 200, 1000)
SHARES = (0.0, 0.01, 0.1, 0.25)
Draw = Callable[[random.Random], float]


def held(value: float) -> float:
    return min(1.0, max(0.0, value))


def mostly_untouched(chance: random.Random) -> float:
    """Four of five were never voted on; the others moved a little."""
    return 0.5 if chance.random() < 0.8 else 0.5 + chance.choice([-0.05, 0.05, 0.1, 0.15])


def two_camps(chance: random.Random) -> float:
    return held(chance.gauss(0.3, 0.05) if chance.random() < 0.35 else chance.gauss(0.9, 0.04))


SHAPES: dict[str, Draw] = {
    "normal, 0.6 ± 0.1": lambda chance: held(chance.gauss(0.6, 0.1)),
    "most at the default 0.5": mostly_untouched,
    "skewed, beta(8, 2)": lambda chance: chance.betavariate(8, 2),
    "two camps, 0.3 and 0.9": two_camps,
}


@dataclass(frozen=True)
class Seen:
    """What a rule did over many runs."""

    caught: float  # of the bad ones, 0..1
    flagged: float  # of 1,000 good ones
    alerts: float  # of the runs, 0..1


def rule(values: Sequence[float]) -> tuple[list[int], bool]:
    """Returns what FirmMem sets aside, and whether it raises an alert instead."""
    places = find_outliers(values)
    return ([], True) if too_many(len(places), len(values)) else (places, False)


def plain_rule(values: Sequence[float]) -> tuple[list[int], bool]:
    return outside_three_sigma(values), False


def simulate(
    judge: Callable[[Sequence[float]], tuple[list[int], bool]],
    draw: Draw,
    size: int,
    share: float,
    *,
    runs: int,
    seed: int,
) -> Seen:
    """Returns what a rule does to stores of `size` memories of which `share` are bad."""
    chance = random.Random(seed)  # noqa: S311
    bad = round(size * share) if share else 0
    caught = flagged = alerts = 0
    for _ in range(runs):
        values = [held(chance.gauss(0.05, 0.02)) for _ in range(bad)] + [draw(chance) for _ in range(size - bad)]
        places, alert = judge(values)
        caught += sum(place < bad for place in places)
        flagged += sum(place >= bad for place in places)
        alerts += alert
    return Seen(caught / max(1, bad * runs), 1000 * flagged / ((size - bad) * runs), alerts / runs)


def main(
    runs: Annotated[int, typer.Option(help="Stores of each kind.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the chance.")] = 11,
) -> None:
    """Prints a row for each shape, share and size."""
    print(f"{runs} stores a row, seed {seed}")
    print(f"{'good memories':24} {'bad':>5} {'n':>5} | {'caught':>7} {'good flagged':>13} {'alert':>6} | plain rule")
    for name, draw in SHAPES.items():
        for share in SHARES:
            for size in SIZES:
                ours = simulate(rule, draw, size, share, runs=runs, seed=seed)
                theirs = simulate(plain_rule, draw, size, share, runs=runs, seed=seed)
                caught = f"{ours.caught:7.1%}" if round(size * share) else "      –"
                plainly = f"{theirs.caught:7.1%}" if round(size * share) else "      –"
                print(
                    f"{name:24} {share:5.0%} {size:5} | {caught} {ours.flagged:8.2f} ‰   {ours.alerts:6.1%} |"
                    f" {plainly} {theirs.flagged:8.2f} ‰"
                )


if __name__ == "__main__":
    typer.run(main)
