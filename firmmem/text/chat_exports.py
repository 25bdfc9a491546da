"""Whether a text is copied out of a chat program: lines that say who wrote and when, as each program writes them."""

import re
from collections.abc import Iterator
from typing import Final

from firmmem.patterns import lazy

_CLOCK: Final = r"\d{1,2}[:.]\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_DAY: Final = (
    r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}|"
    r"\d{1,2} [A-Z][a-z]{2,8}\.? \d{4}|[Tt]oday|[Yy]esterday|今天|昨天)"
)
_STAMP: Final = rf"[\[(]?(?:{_DAY}(?:,? (?:at )?|T){_CLOCK}|{_CLOCK})Z?[\])]?"
_NAME: Final = r"[^\W\d][\w.'’·\-]{0,24}(?: [\w.'’\-]{1,20}){0,3}"
_CONTACT: Final = r"(?:[(（<][\w.@+\- ]{3,40}[)）>])"

# A line of its own says who and when: Slack, Discord, Telegram, WeChat, QQ.
# What follows is said: a line that ends in a clock is the next entry of a plan.
_THEN = r"[ \t]*:?\n(?=[ \t]*\S)(?![^\n]{0,60}\d[:.]\d{2}[^\n]{0,4}$)"
_HEADER = lazy(
    rf"^\**(?P<name>{_NAME})\**{_CONTACT}?,?[ \t]*(?:[—–|-][ \t]*)?{_STAMP}{_THEN}|"
    rf"^[\[(]?{_DAY}(?:,? (?:at )?|T){_CLOCK}[\])]?[ \t]+(?P<late>{_NAME}){_CONTACT}?{_THEN}|"
    rf"^(?P<alone>{_NAME})[ \t]*\n{_STAMP}{_THEN}",
    re.MULTILINE,
)
# Who and when stand before what was said: WhatsApp, LINE, IRC.
_PREFIX = lazy(
    rf"^{_STAMP}[ \t]*(?:[-–][ \t]*)?(?:<[@+%~ ]?(?P<nick>[\w-]{{1,30}})>[ \t]|"
    rf"(?P<name>{_NAME}){_CONTACT}?[:：][ \t]*(?=\S)|"
    r"\t(?P<column>[^\t\n]{1,40})\t)(?P<said>.*)$",
    re.MULTILINE,
)
# Nothing parts who from what: only a question tells such lines from a log.
_BARE_PREFIX = lazy(
    rf"^[\[(]?{_DAY}(?:,? (?:at )?|T){_CLOCK}[\])]?[ \t|]+(?P<name>[^\W\d][\w.-]{{0,20}})[ \t|]+(?P<said>\S.*)$",
    re.MULTILINE,
)
_DATED_PREFIX = lazy(rf"^[\[(]?{_DAY}", re.MULTILINE)
_NO_NAME = lazy(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|january|february|march|april|may|june|"
    r"july|august|"
    r"september|october|november|december|(?:info|error|warn(?:ing)?|debug|trace|fatal|notice)\b.*|"
    r"周[一二三四五六日天]|星期.|[上下]午|早上|晚上|中午",
    re.IGNORECASE,
)
_MAIL_FROM = lazy(r"^[> ]{0,4}(?:From|发件人|差出人|De|Von)[:：] ?(\S.*)$", re.MULTILINE)
_MAIL_TO = lazy(r"^[> ]{0,4}(?:To|Sent|Date|收件人|发送时间|宛先)[:：]", re.MULTILINE)
_BREAKS = lazy(r"<br ?/?>|</(?:p|div|li)>", re.IGNORECASE)
_TAGS = lazy(r"</?(?:b|strong|i|em|span|p|div|li|ul)\b[^>]{0,80}>", re.IGNORECASE)


def is_export(text: str, fields: frozenset[str]) -> bool:
    """Whether two people write in the lines of a chat program, or mails answer one another; `fields` name nobody."""
    if _BREAKS.search(text):
        text = _TAGS.sub("", _BREAKS.sub("\n", text))
    headers = _names(_HEADER.finditer(text), fields)
    if len(set(headers)) > 1:
        return True
    prefixes = [found for found in _PREFIX.finditer(text) if found["name"] is None or _is_dated(found)]
    if len(set(_names(iter(prefixes), fields))) > 1:
        return True
    bare = list(_BARE_PREFIX.finditer(text))
    if any(found["said"].rstrip().endswith(("?", "？")) for found in bare) and len(set(_names(iter(bare), fields))) > 1:
        return True
    return len(set(_MAIL_FROM.findall(text))) > 1 and len(_MAIL_TO.findall(text)) > 1


def _is_dated(found: re.Match[str]) -> bool:
    """Whether a line begins with a day: a clock alone begins the lines of a plan too."""
    return _DATED_PREFIX.match(found[0]) is not None and not found["name"].islower()


def _names(found: Iterator[re.Match[str]], fields: frozenset[str]) -> list[str]:
    names = (_name(each) for each in found)
    return [name for name in names if not _NO_NAME.fullmatch(name) and name.casefold() not in fields]


def _name(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return next(name for key in ("name", "late", "alone", "nick", "column") if (name := groups.get(key)))
