"""What ways of stating days mean, seen from today: the parts of `two weeks ago` or `去年三月` in, days out."""

from datetime import date

from firmmem.dates import calendar
from firmmem.dates.calendar import Days
from firmmem.dates.date_words import MONTHS

_COUNTED = "a an one 一|two couple 二 两 兩|three 三|four 四|five 五|six 六|seven 七|eight 八|nine 九|ten"
_NUMBERS = {word: number for number, words in enumerate(_COUNTED.split("|"), 1) for word in words.split()}
_SIDES = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "这": 0, "這": 0, "本": 0}
NAMED = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "tomorrow": 1, "day after tomorrow": 2,
    "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3,
}  # fmt: skip
_YEARS = {"前": -2, "去": -1, "今": 0, "明": 1, "后": 2, "後": 2}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = {
    "day": calendar.day, "week": calendar.week, "weekend": calendar.weekend, "month": calendar.month,
    "year": calendar.year, "天": calendar.day, "日": calendar.day, "周": calendar.week, "週": calendar.week,
    "星期": calendar.week, "礼拜": calendar.week, "禮拜": calendar.week, "月": calendar.month, "年": calendar.year,
}  # fmt: skip
_LENGTHS = {calendar.day: 1, calendar.week: 7, calendar.weekend: 7, calendar.month: 30, calendar.year: 365}

Parts = dict[str, str]  # what the named groups of firmmem.dates.spans_in_query's patterns matched, '' for nothing


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if ten:
        return (_NUMBERS[tens] if tens else 1) * 10 + (_NUMBERS[ones] if ones else 0)
    return _NUMBERS["couple" if "couple" in text else text]


def _side(text: str) -> int:
    return _SIDES[text] if text in _SIDES else len(text) * (1 if text[0] == "下" else -1)


def named_day(parts: Parts, today: date) -> Days:
    """Return the day that has a name of its own: yesterday, 后天."""
    return calendar.day(today, NAMED[parts["named"]])


def unit_ago(parts: Parts, today: date) -> Days:
    """Return the day, week, month or year that lies so many back."""
    return _UNITS[parts["unit"]](today, -_number(parts["count"]))


def until_today(parts: Parts, today: date) -> Days:
    """Return the last so many days, today among them."""
    count = _LENGTHS[_UNITS[parts["unit"]]] * _number(parts["count"] or "1")
    return calendar.day(today, -count)[0], calendar.day(today, 0)[1]


def unit_near_today(parts: Parts, today: date) -> Days:
    """Return the last, this or the next unit, or a weekday or a day of it."""
    found = _UNITS[parts["unit"]](today, _side(parts["side"]))
    if parts["day"]:
        return calendar.day(found[0].replace(day=_number(parts["day"])), 0)
    if parts.get("weekday") == "末":
        return calendar.weekend(found[0], 0)
    return calendar.day(found[0], _weekday(parts["weekday"])) if parts.get("weekday") else found


def _weekday(text: str) -> int:
    return min(6, "一二三四五六日天".index(text)) if len(text) == 1 else WEEKDAYS.index(text)


def latest_weekday(parts: Parts, today: date) -> Days:
    """Return the latest such day of the week, or the one before, in this week or after today."""
    since = (today.weekday() - _weekday(parts["weekday"])) % 7
    if parts["side"] == "this":
        return calendar.day(calendar.week(today, 0)[0], _weekday(parts["weekday"]))
    if parts["side"] == "next":
        return calendar.day(today, 7 - since)
    return calendar.day(today, -(since or 7) if parts["side"] in ("last", "past") else -since)


def _year(parts: Parts, today: date) -> int | None:
    if parts["year"]:
        return int(parts["year"])
    return today.year + _YEARS[parts["years"]] if parts.get("years") else None


def names_year(parts: Parts) -> bool:
    """Return whether a year is said, as a number or by where it lies from today."""
    return bool(parts["year"] or parts.get("years") or parts["side"] in _SIDES)


def month_or_day(parts: Parts, today: date) -> Days:
    """Return a month or a day of it, the latest one where no year is said."""
    name, day = parts["month"].rstrip("."), _number(parts["day"]) if parts["day"] else 0
    by_name = [number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3])]
    month = by_name[0] if by_name else _number(name)
    year = _year(parts, today)
    if year is None:
        latest = today.year - ((month, day or 1) > (today.month, today.day))
        running = (latest, month) == (today.year, today.month)
        year = latest + {"last": -running, "next": 1}.get(parts["side"], 0)
    return calendar.day(date(year, month, day), 0) if day else calendar.month(date(year, month, 1), 0)


def in_year(parts: Parts, today: date) -> Days:
    """Return a whole year."""
    return calendar.year(date(_year(parts, today) or today.year, 1, 1), 0)


def in_season(parts: Parts, today: date) -> Days:
    """Return a season of a year, the latest one where no year is said."""
    month, year = _SEASONS[parts["season"]], _year(parts, today)
    if year is not None:
        return calendar.season(date(year, month, 1), 0)
    latest = calendar.season(date(today.year - (month > today.month), month, 1), 0)
    running = latest[1] > today
    offset = {"last": -running, "next": 1, "this": 1 - running}.get(parts["side"], 0)
    return calendar.season(latest[0], 12 * offset)
