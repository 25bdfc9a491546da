"""The days that a query states: `last Tuesday`, `in March`, `two weeks ago`, `上周二`, `去年春天`.

A month, a day or a season without a year is the latest that began, `on Tuesday` the latest Tuesday, and `two weeks ago`
is that whole week. Of a month or a day it may be an earlier year's: `Stated.years`. What is ambiguous beyond that
states nothing: `may`, `Tuesdays`, `recently`, `几天前`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from firmmem.dates import calendar, date_phrases
from firmmem.dates.calendar import Days
from firmmem.patterns import lazy
from firmmem.time_zone import local_day

QUERY_CHARACTERS: Final = 4_000
MOST: Final = 8  # spans of one query
YEARS: Final = 4  # of which a date that names none may be

_HAPPENED = lazy(r"\b(?:happen(?:s|ed|ing)?|going on)\b|发生|發生|做|干|事情?", re.IGNORECASE)


@dataclass(frozen=True)
class StatedSpan:
    """A span that a query states, in seconds since 1970 and half open, and how it says so.

    `words` are those that the search index has for the days, months or years in it; `relative` is what says nothing
    without knowing today, `yearless` a month or a day that every year has.
    """

    first: float
    after: float
    said: str
    words: tuple[str, ...]
    relative: bool
    yearless: bool = False

    def years(self) -> "Iterator[StatedSpan]":
        """Yield this span, and where it names no year the same of the years before."""
        yield self
        for count in range(1, YEARS) if self.yearless else ():
            first, after = (calendar.years_before(moment, count) for moment in (self.first, self.after))
            if first < after:  # not where the calendar begins
                yield replace(self, first=first, after=after)


def find_spans(query: str, *, now: float) -> list[StatedSpan]:
    """Return the spans that a query states, in its order."""
    try:
        today = local_day(now)
    except (ValueError, OverflowError, OSError):
        return []
    plain = unicodedata.normalize("NFKC", query[:QUERY_CHARACTERS])
    found = [span for said in _STATED.finditer(plain) for span in _spans(said, today)]
    return list(dict.fromkeys(found))[:MOST]


def remove_date_phrases(query: str, spans: list[StatedSpan]) -> str:
    """Return what a query asks beside the days that only today explains; what happened on them is asked by no word."""
    plain = unicodedata.normalize("NFKC", query)
    relative = [span.said for span in spans if span.relative]
    for said in relative:
        plain = plain.replace(said, " ")
    return _HAPPENED.sub(" ", plain) if relative else plain


def _spans(said: re.Match[str], today: date) -> list[StatedSpan]:
    rule = _RULES[int((said.lastgroup or "")[4:])]
    parts = re.fullmatch(rule.pattern, said[0].lower())
    if not parts:
        return []
    try:
        named = {"side": "", "year": "", "day": "", "count": ""} | parts.groupdict("")
        meant = rule.meaning(named, today)
        yearless = rule.meaning is date_phrases.month_or_day and not date_phrases.names_year(named)
        return [
            StatedSpan(*calendar.seconds(meant), said[0], calendar.date_search_words(meant), rule.relative, yearless)
        ]
    except (ValueError, OverflowError, KeyError):
        return []


class _Rule(NamedTuple):
    """A way of stating days: how it reads, what it means, and whether only today explains it."""

    pattern: str
    meaning: Callable[[dict[str, str], date], Days]
    relative: bool


_NAME = r"(?P<month>(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
_NAME += r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_OF_YEAR = rf"(?:(?: of|,)? {_YEAR})?"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?!\d)"
_NTH = rf"{_DAY}(?:st|nd|rd|th)?"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])(?!\d)"
_SIDE = r"(?P<side>in|during|since|of|by|until|early|mid|late|last|this|next)"
_COUNT = r"(?P<count>\d{1,3}|an?(?: couple of)?|one|two|three|four|five|six|seven|eight|nine|ten)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(date_phrases.WEEKDAYS)})(?![a-z])"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_HAN = "一二三四五六七八九十"
_COUNT_ZH = rf"(?P<count>\d{{1,3}}|[{_HAN}两兩]{{1,3}})[ ]?[个個]?"
_UNIT_ZH = r"(?P<unit>[天日周週月年]|星期|[礼禮]拜)"
_WEEK_ZH = r"(?P<unit>[周週]|星期|[礼禮]拜)"
_WEEKDAY_ZH = rf"(?<![上下这這本每个個\d{_HAN}两兩几])(?:[周週]|星期|[礼禮]拜)(?P<weekday>[一二三四五六日天])"
_NAMED_ZH = r"(?P<named>大[前后後]|(?<![目之以今最然])[前后後]|[昨今明])(?:天|(?<=[昨今])日|(?<=[昨今明])[晚早晨夜])"
_SIDE_ZH = r"(?P<side>上+|下+|[这這本])[个個]?"
_MONTH_ZH = r"(?P<month>(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]))[ ]?月"
_DAY_ZH = r"(?P<day>(?:[12]\d|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]))[ ]?[日号號]"
_YEARS_ZH = r"(?P<years>(?<![年之以目])前|去|今|明|[后後])年"
_SEASON_ZH = r"的?(?P<season>[春夏秋冬])[天季]"

# The first that fits counts.
_ENGLISH = (
    _Rule(
        rf"(?P<named>{'|'.join(name for name in date_phrases.NAMED if name.isascii())})", date_phrases.named_day, True
    ),
    _Rule(rf"{_COUNT} {_UNIT} ago", date_phrases.unit_ago, True),
    _Rule(rf"(?:(?:last|past|previous) {_COUNT}|past) {_UNIT}", date_phrases.until_today, True),
    _Rule(
        r"(?P<side>last|previous|this|current|next) (?P<unit>week(?:end)?|month|year)",
        date_phrases.unit_near_today,
        True,
    ),
    _Rule(rf"(?P<side>last|past|this|next|on) {_WEEKDAY}", date_phrases.latest_weekday, True),
    _Rule(rf"{_NAME} {_NTH}(?:,? {_YEAR})?", date_phrases.month_or_day, False),
    _Rule(rf"{_NTH}(?: of)? {_NAME}(?:,? {_YEAR})?", date_phrases.month_or_day, False),
    _Rule(rf"{_NAME}(?: of|,)? {_YEAR}", date_phrases.month_or_day, False),
    _Rule(rf"{_SIDE}[ -]{_NAME}(?: {_NTH})?(?:(?: of|,)? {_YEAR})?", date_phrases.month_or_day, False),
    _Rule(rf"{_YEAR}[-/]{_MONTH}(?:[-/]{_DAY})?", date_phrases.month_or_day, False),
    _Rule(rf"(?:in|during|since|of|by|until) {_YEAR}", date_phrases.in_year, False),
    _Rule(rf"(?P<side>last|this|next|in|during)(?: the)? {_SEASON}{_OF_YEAR}", date_phrases.in_season, True),
    _Rule(rf"{_SEASON}(?: of)? {_YEAR}", date_phrases.in_season, False),
)
_CHINESE = (
    _Rule(_NAMED_ZH, date_phrases.named_day, True),
    _Rule(rf"{_COUNT_ZH}{_UNIT_ZH}[以之]?前", date_phrases.unit_ago, True),
    _Rule(rf"(?:最近|[过過]去|近){_COUNT_ZH}{_UNIT_ZH}", date_phrases.until_today, True),
    _Rule(rf"{_SIDE_ZH}{_WEEK_ZH}(?P<weekday>[一二三四五六日天末])?", date_phrases.unit_near_today, True),
    _Rule(_WEEKDAY_ZH, date_phrases.latest_weekday, True),
    _Rule(rf"{_SIDE_ZH}(?P<unit>月)(?:{_DAY_ZH})?", date_phrases.unit_near_today, True),
    _Rule(rf"{_YEARS_ZH}{_SEASON_ZH}", date_phrases.in_season, True),
    _Rule(rf"{_YEARS_ZH}(?:的?{_MONTH_ZH}份?(?:{_DAY_ZH})?)", date_phrases.month_or_day, True),
    _Rule(_YEARS_ZH, date_phrases.in_year, True),
    _Rule(rf"{_YEAR}[ ]?年{_SEASON_ZH}", date_phrases.in_season, False),
    _Rule(rf"{_YEAR}[ ]?年[ ]?{_MONTH_ZH}份?(?:[ ]?{_DAY_ZH})?", date_phrases.month_or_day, False),
    _Rule(rf"{_YEAR}[ ]?年", date_phrases.in_year, False),
    _Rule(rf"(?<![个個几\d{_HAN}]){_MONTH_ZH}份?(?:[ ]?{_DAY_ZH})?", date_phrases.month_or_day, False),
    _Rule(_SEASON_ZH, date_phrases.in_season, True),
)
_RULES = [rule._replace(pattern=rf"(?<![a-z\d-]){rule.pattern}(?![a-z\d])") for rule in _ENGLISH] + [*_CHINESE]
_NAMED_GROUP = re.compile(r"[(][?]P<[a-z]+>")
_STATED = lazy(
    "|".join(f"(?P<rule{number}>{_NAMED_GROUP.sub('(?:', rule.pattern)})" for number, rule in enumerate(_RULES)),
    re.IGNORECASE,
)
