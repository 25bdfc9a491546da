"""Moments that callers name: `2026-01-31`, `2026-01`, an ISO time, `yesterday`, `7 days ago`. All in UTC."""

import re
from datetime import UTC, datetime, timedelta

from firmmem.errors import InvalidArgumentError

DAY = 86_400.0
UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}
AGO = re.compile(r"(\d{1,6})\s*(h|d|w|m|y)[a-z]*(?:\s+ago)?")
PARTIAL = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
WORDS = {"today": 0, "yesterday": 1, "今天": 0, "昨天": 1}


def moments(since: str, until: str, *, now: float) -> tuple[float, float]:
    """Return what two texts mean as seconds since 1970 UTC, half open: a day named by `until` is included.

    Raises:
        InvalidArgumentError: A text names no moment.
    """
    earliest = span(since, now=now, name="since")[0] if since else float("-inf")
    latest = span(until, now=now, name="until")[1] if until else float("inf")
    return earliest, latest


def span(text: str, *, now: float, name: str) -> tuple[float, float]:
    """Return the first moment of what a text names, and the first after it."""
    said = text.strip().lower()
    try:
        if said in WORDS:
            day = now - now % DAY - WORDS[said] * DAY
            return day, day + DAY
        if ago := AGO.fullmatch(said):
            moment = now - int(ago[1]) * UNITS[ago[2]] * DAY
            return moment, moment
        if partial := PARTIAL.fullmatch(said):
            return calendar(*(int(part) if part else 0 for part in partial.groups()))
        moment = exact(text.strip())
    except (ValueError, OverflowError):
        raise InvalidArgumentError(
            f"Send {name} as a date such as 2026-01-31, a time such as 2026-01-31T09:00:00Z, or 7 days ago."
        ) from None
    return moment, moment


def calendar(year: int, month: int, day: int) -> tuple[float, float]:
    """Return the first moment of a year, a month or a day, and the first after it."""
    first = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if day:
        after = first + timedelta(days=1)
    elif month:
        after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    else:
        after = datetime(year + 1, 1, 1, tzinfo=UTC)
    return first.timestamp(), after.timestamp()


def exact(text: str) -> float:
    """Return an ISO 8601 time as seconds since 1970; without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def day(moment: float) -> str:
    """Return a moment's date in UTC; what no calendar holds is said so."""
    return stamp(moment)[:10]


def stamp(moment: float) -> str:
    """Return a moment as ISO 8601 in UTC, to the second."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "????-??-?? (outside the calendar)"
