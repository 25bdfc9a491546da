"""The person's time zone: what "today" is, and what dates look like. One process works for one person.

It is set whenever a file is opened, from the settings; until then it is UTC.
"""

from datetime import UTC, date, datetime, tzinfo

SYSTEM = None  # the zone of this machine, by its own rules

_zone: tzinfo | None = UTC


def use_zone(name: str) -> None:
    """Take days to be those of this zone, such as Asia/Shanghai; '' is the system's."""
    global _zone
    if not name:
        _zone = SYSTEM
    elif getattr(_zone, "key", None) != name:
        _zone = find_zone(name)


def find_zone(name: str) -> tzinfo:
    """Return a zone by its name.

    Raises:
        ValueError: There is none of this name.
    """
    if name.upper() == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # which few name

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise ValueError("it names no time zone; send one such as Asia/Shanghai") from None


def local_time(moment: float) -> datetime:
    """Return a moment as the person's clock shows it.

    Raises:
        ValueError, OverflowError, OSError: It is outside the calendar.
    """
    shown = datetime.fromtimestamp(moment, _zone)
    return shown.astimezone() if _zone is SYSTEM else shown


def local_day(moment: float) -> date:
    """Return the person's day at a moment."""
    return datetime.fromtimestamp(moment, _zone).date()  # without one: the system's


def moment_of(shown: datetime) -> float:
    """Return the moment at which the person's clock shows this; what names a zone of its own keeps it."""
    return (shown if shown.tzinfo else shown.replace(tzinfo=_zone)).timestamp()


def begins(day: date) -> float:
    """Return the first moment of the person's day."""
    return datetime(day.year, day.month, day.day, tzinfo=_zone).timestamp()
