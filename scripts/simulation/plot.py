"""The year as a picture: lines over days, as SVG that any browser shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from simulation.life import Measured

WIDTH, HEIGHT = 860, 190  # of one panel
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 34, 28
COLOURS = ("#1b6ca8", "#c2571a", "#3d8c40", "#7a4fa3")


@dataclass(frozen=True)
class Panel:
    """One set of lines that share an axis."""

    title: str
    lines: dict[str, list[float]]


def panels(weeks: Sequence[Measured]) -> list[Panel]:
    """Return what the picture shows."""
    return [
        Panel("Size of the file, MB", {"file": [week.size / 1e6 for week in weeks]}),
        Panel(
            "Memories",
            {
                "in use": [float(week.active) for week in weeks],
                "archived": [float(week.archived) for week in weeks],
                "quarantined": [float(week.quarantined) for week in weeks],
                "idle drafts in use": [float(week.chatter) for week in weeks],
            },
        ),
        Panel("Age of the oldest idle draft in use, days", {"oldest": [week.oldest_chatter for week in weeks]}),
        Panel("Used facts found among the first ten, %", {"found": [100 * week.found for week in weeks]}),
    ]


def drawn(weeks: Sequence[Measured]) -> str:
    """Return the picture."""
    days = [float(week.day) for week in weeks]
    parts = [
        f'<g transform="translate(0 {place * HEIGHT})">{panel(each, days)}</g>'
        for place, each in enumerate(panels(weeks))
    ]
    height = HEIGHT * len(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="12" fill="#222222">'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def panel(shown: Panel, days: Sequence[float]) -> str:
    """Return one panel: its title, its axes and its lines, each named at its end."""
    top = max(1e-9, *(max(values) for values in shown.lines.values())) * 1.08
    last = max(1.0, *days)

    def x(day: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * day / last

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    parts = [f'<text x="{LEFT}" y="20" font-weight="bold">{escape(shown.title)}</text>']
    for share in (0.0, 0.5, 1.0):
        value = share * top / 1.08
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    parts += [
        f'<text x="{x(day):.1f}" y="{HEIGHT - 10}" text-anchor="middle">day {day}</text>'
        for day in range(0, int(last) + 1, 60)
    ]
    for place, (colour, name) in enumerate(zip(COLOURS, shown.lines, strict=False)):
        points = " ".join(f"{x(day):.1f},{y(value):.1f}" for day, value in zip(days, shown.lines[name], strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 14 + 16 * place}" fill="{colour}">{escape(name)}</text>'
        )
    return "".join(parts)
