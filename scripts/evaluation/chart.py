"""The picture of recall against tokens: what a longer answer finds, and what it costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation import asking, plain, tool
from evaluation.measures import Answer, mean
from evaluation.tasks import Task
from firmmem.render.curve import svg_line, svg_text

LIMITS = (3, 5, 10, 20, 50)
ROOM = 20_000  # a token budget that hides nothing of fifty memories
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 420, 60, 20, 30, 50
KEY = 540  # where the names of the lines begin, below all of them
MOST = 5_000  # tokens at the right edge
TABLES = ("plain FTS5, porter", "plain FTS5, porter", "plain FTS5, trigram")
COLOURS = ("#1f5fa8", "#3d8b5f", "#b0761b")


@dataclass(frozen=True)
class Line:
    """One way of asking one set: mean tokens and recall of what was told, by limit."""

    name: str
    colour: str
    dashed: bool
    points: tuple[tuple[float, float], ...]


def lines(tasks: Sequence[tuple[str, Task, str]], folder: Path) -> Iterator[Line]:
    """Yield both lines of each set: FirmMem's, and that of the plain table that is named with it."""
    for (name, task, table), colour in zip(tasks, COLOURS, strict=False):
        ids, settings = asking.written(task.collections, folder)
        ours = []
        for limit in LIMITS:
            way = tool.Way(f"{name}, limit {limit}", settings, arguments={"limit": limit, "token_budget": ROOM})
            ours.append(point(asking.asked(task.collections, ids, way), limit))
        yield Line(f"{name}, FirmMem", colour, dashed=False, points=tuple(ours))
        by_limit = (list(plain.answers(table, task.collections, depth=limit)) for limit in LIMITS)
        theirs = tuple(point(found, limit) for found, limit in zip(by_limit, LIMITS, strict=True))
        yield Line(f"{name}, {table}", colour, dashed=True, points=theirs)


def point(answers: Sequence[Answer], limit: int) -> tuple[float, float]:
    """Return the mean tokens of a reply and the share of the gold in it."""
    return mean([each.tokens for each in answers]), mean([each.recall(limit) for each in answers])


def told(line: Line) -> str:
    """Return a line's points as text."""
    points = (
        f"{limit}: {recall:.3f} in {tokens:.0f}" for limit, (tokens, recall) in zip(LIMITS, line.points, strict=True)
    )
    return f"{line.name}: {', '.join(points)} tokens"


def drawing(drawn: Sequence[Line]) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    yield "<title>The share of what was sought that is told, against the tokens of the reply</title>"
    yield '<rect width="100%" height="100%" fill="#ffffff"/>'
    for tenth in range(0, 11, 2):
        yield svg_line(LEFT, y(tenth / 10), WIDTH - RIGHT, y(tenth / 10), "#e4e4e4")
        yield svg_text(LEFT - 8, y(tenth / 10) + 4, f".{tenth}" if tenth < 10 else "1", anchor="end")
    for tokens in range(0, MOST + 1, 1000):
        yield svg_line(x(tokens), HEIGHT - BOTTOM, x(tokens), HEIGHT - BOTTOM + 5, "#666666")
        yield svg_text(x(tokens), HEIGHT - BOTTOM + 20, f"{tokens:,}", anchor="middle")
    yield svg_text(WIDTH - RIGHT, HEIGHT - 10, "tokens of the reply, at limits 3, 5, 10, 20 and 50", anchor="end")
    yield svg_text(LEFT - 40, TOP - 12, "share of what was sought that is told")
    for number, line in enumerate(drawn):
        yield from curve(line)
        yield svg_text(
            KEY,
            HEIGHT - BOTTOM - 102 + 18 * number,
            f"{'- -' if line.dashed else '––'} {line.name}",
            colour=line.colour,
        )
    yield "</svg>"


def curve(line: Line) -> Iterator[str]:
    points = " ".join(f"{x(tokens):.1f},{y(recall):.1f}" for tokens, recall in line.points)
    dashes = ' stroke-dasharray="6 5"' if line.dashed else ""
    yield f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="2"{dashes}/>'
    for limit, (tokens, recall) in zip(LIMITS, line.points, strict=True):
        told = f"{line.name}, limit {limit}: {recall:.3f} in {tokens:.0f} tokens"
        place = f'cx="{x(tokens):.1f}" cy="{y(recall):.1f}" r="4" fill="{line.colour}"'
        yield f"<circle {place}><title>{told}</title></circle>"


def x(tokens: float) -> float:
    return LEFT + tokens / MOST * (WIDTH - LEFT - RIGHT)


def y(recall: float) -> float:
    return TOP + (1.0 - recall) * (HEIGHT - TOP - BOTTOM)
