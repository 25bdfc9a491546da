"""Moments that callers name, in the person's time zone: `2026-01-31`, `2026-01`, `7 days ago`."""

import math
from datetime import date, datetime, timedelta

from firmmem.dates.spans_in_query import find_spans
from firmmem.errors import InvalidArgumentError
from firmmem.patterns import lazy
from firmmem.time_zone import begins, local_day, local_time, moment_of

DAY = 86_400.0
OUTSIDE = "????-??-?? (outside the calendar)"
UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), 1 / DAY),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分", "分钟"), 60 / DAY),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "个小时"), 1 / 24),
    **dict.fromkeys(("d", "day", "days", "天", "日"), 1.0),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks", "周", "星期", "个星期"), 7.0),
    **dict.fromkeys(("mo", "mos", "month", "months", "个月", "月"), 30.0),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years", "年"), 365.0),
}
AGO = lazy(
    r"(?:(?P<count>\d{1,9})|an?\b|one\b|last\b|past\b)\s*"
    r"(?P<unit>[a-z]{1,7}|[秒分钟小时天日周星期个月年]{1,3})\s*(?:ago|前|以前)?"
)
PARTIAL = lazy(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?|(\d{4})(\d{2})(\d{2})")
WORDS = {"now": None, "today": 0, "yesterday": 1, "今天": 0, "昨天": 1, "前天": 2}


def parse_span(since: str, until: str, *, now: float) -> tuple[float, float]:
    """Return what two texts mean as seconds since 1970 UTC, half open: what `until` names is included.

    Raises:
        InvalidArgumentError: A text names no moment, or until is before since.
    """
    earliest = span_of(since, now=now, name="since")[0] if since else -math.inf
    latest = span_of(until, now=now, name="until")[1] if until else math.inf
    if earliest >= latest:
        raise InvalidArgumentError(
            f"since ({format_time(earliest)}) is after until ({format_time(latest)}): swap them."
        )
    return earliest, latest


def span_of(text: str, *, now: float, name: str) -> tuple[float, float]:
    """Return the first moment of what a text names, and the first after it."""
    said = text.strip().lower()
    try:
        if said in WORDS:
            return named_day(WORDS[said], now=now)
        if partial := PARTIAL.fullmatch(said):
            return calendar_span(*(int(part) for part in partial.groups() if part))
        if (ago := AGO.fullmatch(said)) and ago["unit"] in UNITS:
            return single_moment(now - int(ago["count"] or 1) * UNITS[ago["unit"]] * DAY)
        for stated_span in find_spans(said, now=now):
            if stated_span.said == said:
                return stated_span.first, stated_span.after
        return iso_span(text.strip())
    except (ValueError, OverflowError):
        raise InvalidArgumentError(
            f"Send {name} as a date such as 2026-01-31, a time such as 2026-01-31T09:00:00Z, or 7 days ago."
        ) from None


def named_day(days_ago: int | None, *, now: float) -> tuple[float, float]:
    """Return the first moment of a day that lies some days back, and the first after it; None is this moment."""
    if days_ago is None:
        return single_moment(now)
    day = local_day(now) - timedelta(days=days_ago)
    return begins(day), begins(day + timedelta(days=1))


def calendar_span(year: int, month: int = 0, day: int = 0) -> tuple[float, float]:
    """Return the first moment of a year, a month or a day, and the first after it: never, where the calendar ends."""
    first = date(year, month or 1, day or 1)
    try:
        if day:
            after = first + timedelta(days=1)
        elif month:
            after = date(year + month // 12, month % 12 + 1, 1)
        else:
            after = date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        return begins(first), math.inf
    return begins(first), begins(after)


def iso_span(text: str) -> tuple[float, float]:
    """Return an ISO 8601 time as seconds since 1970, and the second after it; without a zone it is the person's."""
    first = moment_of(datetime.fromisoformat(text))
    return first, first + 1.0


def single_moment(moment: float) -> tuple[float, float]:
    """Return one moment as the span that holds nothing else."""
    return moment, math.nextafter(moment, math.inf)


def format_day(moment: float) -> str:
    """Return a moment's date in the person's time zone; what no calendar holds is said so."""
    try:
        return local_day(moment).isoformat()
    except (ValueError, OverflowError, OSError):
        return OUTSIDE[:10]


def format_time(moment: float) -> str:
    """Return a moment as ISO 8601 in the person's time zone, to the second; Z is UTC."""
    try:
        return local_time(moment).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return OUTSIDE
