"""Whole days of the calendar: the day, the week, the month, the season or the year that lies so many from today."""

from datetime import date, timedelta
from typing import Final

from firmmem.dates.date_words import MONTHS
from firmmem.time_zone import begins, local_time

MOST_NAMED: Final = 31  # days that are named one by one

Days = tuple[date, date]  # from the first day until the second


def day(today: date, offset: int) -> Days:
    """Return the day so many from today."""
    first = today + timedelta(days=offset)
    return first, first + timedelta(days=1)


def week(today: date, offset: int) -> Days:
    """Return a week, which begins on Monday."""
    first = today + timedelta(days=7 * offset - today.weekday())
    return first, first + timedelta(days=7)


def weekend(today: date, offset: int) -> Days:
    """Return the Saturday and the Sunday of a week."""
    first, after = week(today, offset)
    return first + timedelta(days=5), after


def month(today: date, offset: int) -> Days:
    """Return the month so many from this one."""
    return first_of_month(today, offset), first_of_month(today, offset + 1)


def season(today: date, offset: int) -> Days:
    """Return a quarter of the year that begins with the month so many from this one."""
    return first_of_month(today, offset), first_of_month(today, offset + 3)


def year(today: date, offset: int) -> Days:
    """Return the year so many from this one."""
    return date(today.year + offset, 1, 1), date(today.year + offset + 1, 1, 1)


def first_of_month(today: date, offset: int) -> date:
    """Return the day on which such a month begins."""
    number = today.year * 12 + today.month - 1 + offset
    return date(number // 12, number % 12 + 1, 1)


def seconds(days: Days) -> tuple[float, float]:
    """Return the person's days as seconds since 1970 UTC, half open."""
    first, after = days
    return begins(first), begins(after)


def years_before(moment: float, count: int) -> float:
    """Return the same day so many years before, and the 28th of February for a 29th."""
    at = local_time(moment)
    leap = (at.month, at.day) == (2, 29)
    return begins(date(max(1, at.year - count), at.month, 28 if leap else at.day))


def date_search_words(days: Days) -> tuple[str, ...]:
    """Return the words that the search index has for the years, the months or the days, whichever are whole."""
    first, after = days
    if first.day == first.month == after.day == after.month == 1:
        return tuple(str(number) for number in range(first.year, after.year))
    if first.day == after.day == 1:
        months = (after.year - first.year) * 12 + after.month - first.month
        return tuple(dict.fromkeys(MONTHS[(first.month - 1 + number) % 12] for number in range(months)))
    named = (first + timedelta(days=number) for number in range(min(MOST_NAMED, (after - first).days)))
    return tuple(f"{MONTHS[each.month - 1]}{each.day}" for each in named)
