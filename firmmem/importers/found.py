"""What a source yields: a text, where it is in the source, and what the source says of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Found:
    """One statement of a source, before it is checked."""

    place: str  # as a person finds it again: "line 3", "MEMORY.md, entry 2"
    text: str
    tags: tuple[str, ...] = ()
    created_at: float | None = None  # None: the source does not say
    about_user: bool = False  # the source keeps it as who the user is, or how to work for them
    confirmed: bool = False  # the source has it from a person, or from use
    bare: str = ""  # the statement without the name that was put before it


def parse_time(value: object) -> float | None:
    """Return a moment from seconds, milliseconds or ISO text; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value / 1000 if value > 1e11 else float(value)
    try:
        moment = datetime.fromisoformat(str(value).strip().replace(" UTC", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def as_tags(value: object) -> tuple[str, ...]:
    """Return tags from a list or from text with commas."""
    parts: Iterable[object] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(str(part).strip().lstrip("#") for part in parts if str(part).strip(" #"))
