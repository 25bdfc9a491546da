"""Reads one argument of a tool as its kind: a text, a label, a list, ids, yes or no, a number, a choice.

Each reader answers None for "not given", tells by `note` what it had to change, and raises ValueError (or
OverflowError, or RecursionError) for what it can't read.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from pydantic_core import from_json

BLANK = frozenset({"", "null", "none"})  # how models write "nothing" where a label is expected
LARGEST_ID = 2**63 - 1  # what SQLite can hold

TIERS: Mapping[str, tuple[str, ...]] = {
    **{tier: (tier,) for tier in ("core", "strategic", "validated", "draft")},
    **dict.fromkeys(("fact", "core fact", "core_fact", "核心", "核心事实"), ("core",)),
    **dict.fromkeys(("strategy", "strategie", "战略", "策略"), ("strategic",)),
    **dict.fromkeys(("event", "event memory", "event_memory", "事件"), ("validated", "draft")),
    **dict.fromkeys(("verified", "已验证"), ("validated",)),
    "草稿": ("draft",),
}
OUTCOMES = {
    **dict.fromkeys(("positive", "good", "up", "+", "+1", "1", "👍", "helpful", "正面", "好"), "positive"),
    **dict.fromkeys(("negative", "bad", "down", "-", "-1", "👎", "wrong", "负面", "坏"), "negative"),
    **dict.fromkeys(("verified", "verify", "confirmed", "confirm", "已验证", "已确认"), "verified"),
}
TRUE = frozenset({"true", "yes", "on", "1", "t", "y", "是"})
FALSE = frozenset({"false", "no", "off", "0", "f", "n", "否"}) | BLANK

Note = Callable[[str], None]
Choice = TypeVar("Choice")


class NoNumberError(ValueError):
    """No number can be read, and the default serves as well: not worth an error to the caller."""


def text(value: object, _: Note) -> str | None:
    """Any text, as it is: "null" and '{"k":1}' are texts too."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def required_text(value: object, note: Note) -> str | None:
    """A text with something in it."""
    read = text(value, note)
    return read if read and read.strip() else None


def word(value: object, note: Note) -> str | None:
    """A label such as a goal's id; None where there is none."""
    match value:
        case None | False:
            return None
        case []:
            return None
        case [only]:
            return word(only, note)
        case str():
            return None if value.strip().lower() in BLANK else value.strip()
        case int() | float() if value is not True and math.isfinite(value):
            return str(int(value) if value == int(value) else value)
    raise ValueError


def words(value: object, _: Note) -> list[str]:
    """A list of labels, each once, without blanks."""
    return list(dict.fromkeys(each for item in _items(value) if (each := _label(item)) is not None))


def _items(value: object) -> Iterator[object]:
    """What a list holds, whether it is a list, a JSON list in a string, or a string with commas."""
    match value:
        case str() if isinstance(inner := parse_json(value), list):
            yield from _items(inner)
        case str():
            bare = value.strip()
            bare = bare[1:-1] if bare.startswith("[") and bare.endswith("]") else bare
            yield from (each.strip().strip("'\"") for each in re.split(r"[,，、;；\n]", bare))
        case list() | tuple():
            for item in value:  # a host that wants a list wraps "a,b" into one
                yield from _items(item) if isinstance(item, list | str) else [item]
        case _:
            yield value


def _label(item: object) -> str | None:
    if isinstance(item, bool):
        return json.dumps(item)
    return word(item, lambda _: None)


def ids(value: object, _: Note) -> list[int]:
    """A list of memory ids, each once: 12, 12.0, "12", "#12", "[1,2]", "#1 #2"."""
    return list(dict.fromkeys(each for item in _items(value) for each in _ids(item)))


def _ids(item: object) -> Iterator[int]:
    match item:
        case None:
            return
        case str():
            tokens = re.split(r"[\s,，、;；]+", item.strip())
            for token in tokens if item.strip().lower() not in BLANK else ():
                if not re.fullmatch(r"#?-?\d{1,19}(\.0+)?", token):
                    raise ValueError
                yield from _ids(int(token.removeprefix("#").partition(".")[0]))
        case bool():
            raise ValueError
        case int() | float() if math.isfinite(item) and item == int(item) and abs(item) <= LARGEST_ID:
            yield int(item)
        case _:
            raise ValueError


def flag(value: object, _: Note) -> bool | None:
    """Yes or no; None where it isn't said."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, str | int | float):
        raise ValueError
    said = value.strip().lower() if isinstance(value, str) else f"{value:g}"
    if said not in TRUE | FALSE:
        raise ValueError
    return said in TRUE


def whole(least: int, most: int) -> Callable[[object, Note], int | None]:
    """Read a whole number, moved into `least`..`most` with a note."""

    def read(value: object, note: Note) -> int | None:
        number = _number(value)
        if number is None:
            return None
        held = int(min(most, max(least, number)))
        _tell(value, number, held, note)
        return held

    return read


def fraction(value: object, note: Note) -> float | None:
    """A share in 0..1, as 0.5 or "50%", moved into it with a note."""
    number = _number(value)
    if number is None:
        return None
    held = min(1.0, max(0.0, number))
    _tell(value, number, held, note)
    return held


def _tell(sent: object, number: float, held: float, note: Note) -> None:
    if held != number:
        note(f"{format_value(sent)} was {'cut' if held < number else 'raised'} to {held:g}")


def _number(value: object) -> float | None:
    """The number meant, None where there is none.

    Raises:
        NoNumberError: it is no number.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in BLANK):
        return None
    try:
        number = _spelled(value)
    except OverflowError:  # an integer beyond what a float holds
        return math.inf if isinstance(value, int) and value > 0 else -math.inf
    if math.isnan(number):
        raise NoNumberError
    return number


def _spelled(value: object) -> float:
    if isinstance(value, str):
        bare = value.strip().replace(",", "")
        share = bare.endswith(("%", "％"))
        try:
            return float(bare.rstrip("%％")) / (100 if share else 1)
        except ValueError:
            raise NoNumberError from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoNumberError
    return float(value)


def tiers(value: object, note: Note) -> list[str]:
    """A list of tiers, in any case, singular or plural; "event" means two, and "all" no choice among them."""
    named = [each.lower() for each in words(value, note)]
    chosen = (tier for each in named if each != "all" for tier in _choice(each, TIERS))
    return [] if "all" in named else list(dict.fromkeys(chosen))


def outcome(value: object, _: Note) -> str | None:
    """How a memory turned out, by one of its common names."""
    if isinstance(value, bool):
        return "positive" if value else "negative"
    read = word(value, lambda _: None)
    return None if read is None else _choice(read.lower(), OUTCOMES)


def _choice(name: str, choices: Mapping[str, Choice]) -> Choice:
    choice = choices.get(name) or choices.get(name.removesuffix("s"))
    if choice is None:
        raise ValueError
    return choice


def parse_json(text: str) -> object:
    """Return what the text says as JSON; None where it isn't JSON, or holds half of a surrogate pair."""
    try:
        value: object = from_json(text)
    except (ValueError, TypeError):  # the latter for half a pair
        return None
    return value


def format_value(value: object, most: int = 40) -> str:
    """Return the value as a message repeats it: on one line, at most `most` characters of it."""
    try:
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to show"
    said = " ".join(said[: 2 * most].split())
    return f"{said[:most]}…" if len(said) > most else said
