"""Draws Ebbinghaus's values (1885) beside the decay of a memory, and says how well an exponential fits them.

    python scripts/plot_forgetting.py FILE
    python scripts/plot_forgetting.py FILE --svg scripts/forgetting.svg

FILE has a heading and rows of hours and percent: what of the time to learn nonsense syllables is saved when they
are learned again after so long.
"""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from firmmem.render.curve import svg_dot, svg_line, svg_text
from firmmem.scoring import decay, effective_half_life
from firmmem.settings import Settings

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 400, 60, 20, 30, 50
FIRST, LAST = 0.25, 24.0 * 400  # hours, on a logarithmic axis
MARKS = (
    (1 / 3, "20 min"),
    (1, "1 h"),
    (9, "9 h"),
    (24, "1 d"),
    (48, "2 d"),
    (144, "6 d"),
    (744, "31 d"),
    (8760, "1 y"),
)
STEPS = 160

Curve = Callable[[float], float]  # hours to a share


def ebbinghaus(hours: float) -> float:
    """What is saved by his own formula, b = 1.84 / (log10(minutes) ** 1.25 + 1.84)."""
    return 1.84 / (max(0.0, math.log10(60.0 * hours)) ** 1.25 + 1.84)


def fading(days: float) -> Curve:
    """What is left of a memory with this half-life and no review."""
    return lambda hours: decay(hours / 24.0, days)


def best(values: Sequence[tuple[float, float]]) -> float:
    """The half-life, in days, of the exponential nearest to the values."""
    return min((10 ** (step / 100) for step in range(-300, 300)), key=lambda days: error(fading(days), values))


def error(curve: Curve, values: Sequence[tuple[float, float]]) -> float:
    """The root of the mean squared difference."""
    return math.sqrt(sum((curve(hours) - share) ** 2 for hours, share in values) / len(values))


def drawing(values: Sequence[tuple[float, float]]) -> Iterator[str]:
    settings = Settings()
    reviewed = effective_half_life(settings.draft_half_life, 0.6, 4, settings.consolidation_base)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    yield "<title>What is left, by Ebbinghaus's values and by the decay of memories</title>"
    yield '<rect width="100%" height="100%" fill="#ffffff"/>'
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield svg_line(LEFT, y(share), WIDTH - RIGHT, y(share), "#e4e4e4")
        yield svg_text(LEFT - 8, y(share) + 4, f"{share:.0%}", anchor="end")
    for hours, name in MARKS:
        yield svg_line(x(hours), HEIGHT - BOTTOM, x(hours), HEIGHT - BOTTOM + 5, "#666666")
        yield svg_text(x(hours), HEIGHT - BOTTOM + 20, name, anchor="middle")
    curves = (
        (ebbinghaus, "#b0761b", "Ebbinghaus's values and formula"),
        (fading(settings.draft_half_life), "#1f5fa8", "a draft"),
        (fading(reviewed), "#3d8b5f", "a draft reviewed four times, consolidation 0.6"),
        (fading(settings.validated_half_life), "#7a4fa3", "a validated memory"),
    )
    for number, (curve, colour, name) in enumerate(curves):
        yield line(curve, colour)
        yield svg_text(LEFT + 8, HEIGHT - BOTTOM - 62 + 18 * number, name, colour=colour)
    for hours, share in values:
        yield svg_dot(x(hours), y(share), f"after {hours:g} h {share:.1%}")
    yield "</svg>"


def x(hours: float) -> float:
    return LEFT + math.log(hours / FIRST) / math.log(LAST / FIRST) * (WIDTH - LEFT - RIGHT)


def y(share: float) -> float:
    return TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)


def line(curve: Curve, colour: str) -> str:
    hours = (FIRST * (LAST / FIRST) ** (step / STEPS) for step in range(STEPS + 1))
    points = " ".join(f"{x(each):.1f},{y(curve(each)):.1f}" for each in hours)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def main(
    file: Annotated[Path, typer.Argument(exists=True, help="Hours and percent, with a heading.")],
    svg: Annotated[Path | None, typer.Option(help="Draw it into this file.")] = None,
) -> None:
    """Prints how well curves fit the values, and draws them."""
    rows = list(csv.reader(file.read_text(encoding="utf-8").splitlines()))[1:]
    values = [(float(hours), float(percent) / 100.0) for hours, percent in rows]
    days = best(values)
    print(f"nearest exponential: half-life {days:.2f} days, error {error(fading(days), values):.3f}")
    print(f"Ebbinghaus's formula: error {error(ebbinghaus, values):.3f}")
    if svg:
        svg.write_text("\n".join(drawing(values)) + "\n", encoding="utf-8", newline="\n")
        print(f"drawn into {svg}")


if __name__ == "__main__":
    typer.run(main)
