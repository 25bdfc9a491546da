"""A forgetting curve, in words and as a picture: past reviews, today, and what is left later without another."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from firmmem.dates.moments import format_day, format_time
from firmmem.memory.life.lifeline import Lifeline
from firmmem.scoring import FORGOTTEN, REVIEW_GATE

DAY = 86_400.0
WIDTH, HEIGHT = 800, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 50, 50  # margins
STEPS = 80  # pieces of each stretch of the curve
AHEAD = 3.0  # half-lives that the forecast shows: 5 % is left then
TITLE = 70  # characters of the memory
TICKS = 6


def life_in_words(line: Lifeline) -> str:
    """Return a memory's life in words."""
    head = [f"#{line.id} {line.tier}, {line.state}: {line.summary}", f"written   {format_time(line.created_at)}"]
    if line.tier == "core":
        return "\n".join([*head, "A core fact never fades and is never reviewed."])
    missing = line.recall_count - len(line.reviews)
    head += [f"          {missing} earlier reviews are no longer in the log"] if missing > 0 else []
    head += [
        f"reviewed  {format_time(review.at)}  {review.decay:.1%} was left; "
        f"consolidation {review.consolidation:.3f} after"
        for review in line.reviews
    ]
    return "\n".join([*head, today_line(line), *forecast_lines(line)])


def today_line(line: Lifeline) -> str:
    """Return what is left now."""
    return f"now       {format_time(line.now)}  {line.decay:.1%} is left, effective half-life {line.half_life:.2f} days"


def forecast_lines(line: Lifeline) -> Iterator[str]:
    """Yield when how much will be left, without another review."""
    end = "forgotten, unless it is used" if line.tier == "draft" else "still kept: only drafts are forgotten"
    for decay, means in ((REVIEW_GATE, "a recall from then on is a review"), (0.5, ""), (FORGOTTEN, end)):
        when = "was left on" if line.reaches(decay) <= line.now else "is left on"
        yield f"{decay:8.0%}  {when} {format_time(line.reaches(decay))}" + (f": {means}" if means else "")


def draw_curve(line: Lifeline) -> str:
    """Return the curve as an SVG picture."""
    first = min(line.known_from, line.now)
    last = max(line.now, line.reviewed_at) + AHEAD * line.half_life * DAY
    frame = Frame(first, last)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f"<title>{escape(f'Forgetting curve of #{line.id}')}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        svg_text(LEFT, 20, shorten_title(f"#{line.id} {line.tier}: {line.summary}"), size=14),
        svg_text(LEFT, 38, f"half-life {line.half_life:.2f} days, {line.recall_count} reviews", colour="#666666"),
        *frame.axes(),
        *frame.levels(draft=line.tier == "draft"),
        *curve_elements(line, frame),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class Frame:
    """Where times and shares lie in the picture."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, max(last, first + 1.0)

    def x(self, at: float) -> float:
        """Return the place of a time."""
        return LEFT + (at - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def y(self, share: float) -> float:
        """Return the place of a share."""
        return TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)

    def axes(self) -> Iterator[str]:
        """Yield the axes with their numbers and dates."""
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            yield svg_line(LEFT, self.y(share), WIDTH - RIGHT, self.y(share), "#e4e4e4")
            yield svg_text(LEFT - 8, self.y(share) + 4, f"{share:.0%}", anchor="end")
        for number in range(TICKS):
            at = self.first + number * (self.last - self.first) / (TICKS - 1)
            anchor = "start" if number == 0 else "end" if number == TICKS - 1 else "middle"
            yield svg_text(self.x(at), HEIGHT - BOTTOM + 20, format_day(at), anchor=anchor)

    def levels(self, *, draft: bool) -> Iterator[str]:
        """Yield the shares at which something happens."""
        levels = [(REVIEW_GATE, "a recall below this is a review", "end")]
        for share, means, anchor in [*levels, (FORGOTTEN, "a draft is forgotten", "start")] if draft else levels:
            yield svg_line(LEFT, self.y(share), WIDTH - RIGHT, self.y(share), "#b0761b", dash="2 4")
            x = WIDTH - RIGHT if anchor == "end" else LEFT + 4
            yield svg_text(x, self.y(share) - 4, means, anchor=anchor, colour="#8a5a10", size=11)


def curve_elements(line: Lifeline, frame: Frame) -> Iterator[str]:
    """Yield the curve up to now, the reviews on it, today, and the curve to come."""
    start = line.known_from
    for start_at, review in line.past():
        yield svg_path(line, frame, start_at, review.at - 1e-3, "#1f5fa8")
        yield svg_line(
            frame.x(review.at), frame.y(review.decay), frame.x(review.at), frame.y(1.0), "#1f5fa8", dash="3 3"
        )
        yield svg_dot(
            frame.x(review.at), frame.y(review.decay), f"reviewed {format_time(review.at)}: {review.decay:.1%} was left"
        )
        start = review.at
    start = max(start, line.reviewed_at)
    if start < line.now:
        yield svg_path(line, frame, start, line.now, "#1f5fa8")
    yield svg_path(line, frame, max(start, line.now), frame.last, "#1f5fa8", dash="6 5")
    yield svg_line(frame.x(line.now), TOP, frame.x(line.now), HEIGHT - BOTTOM, "#555555")
    yield svg_text(frame.x(line.now) + 8, frame.y(line.decay) - 8, f"now {line.decay:.1%}")
    yield svg_dot(frame.x(line.now), frame.y(line.decay), f"now {format_time(line.now)}: {line.decay:.1%} is left")


def svg_path(line: Lifeline, frame: Frame, start: float, end: float, colour: str, dash: str = "") -> str:
    """Return a stretch of the curve."""
    times = (start + step * (end - start) / STEPS for step in range(STEPS + 1))
    points = " ".join(f"{frame.x(at):.2f},{frame.y(line.left(at)):.2f}" for at in times)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'


def svg_line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "") -> str:
    """Return a straight line."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{colour}"{dashes}/>'


def svg_dot(x: float, y: float, means: str) -> str:
    """Return a point that says what it is where it is pointed at."""
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="4" fill="#1f5fa8"><title>{escape(means)}</title></circle>'


def svg_text(x: float, y: float, words: str, *, anchor: str = "start", colour: str = "#222222", size: int = 12) -> str:
    """Return words at a place."""
    place = f'x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}"'
    return f"<text {place}>{escape(words)}</text>"


def shorten_title(words: str) -> str:
    """Return words short enough for the title."""
    return words if len(words) <= TITLE else f"{words[: TITLE - 1]}…"
