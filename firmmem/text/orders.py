"""Whether a text would steer the agent that reads it: "ignore previous instructions …", in ten languages and disguises.

A memory may well speak of instructions, prompts and passwords, and it may well hold a rule of the user. An order is
what such notes do not say: to drop what was said before, to hide something from the user, to obey, to send secrets out.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from firmmem.patterns import lazy
from firmmem.text.disguises import readings
from firmmem.text.order_phrases import ENGLISH, MARKUP, Phrase
from firmmem.text.order_phrases_east_asia import CHINESE, JAPANESE
from firmmem.text.order_phrases_german_russian import GERMAN, RUSSIAN
from firmmem.text.order_phrases_romance import FRENCH, PORTUGUESE, SPANISH

_GAPS: Final = {"…": r"[^.!?。！？\n]{0,60}?", "‥": r"[^.!?。！？\n]{0,30}?"}
_ABOUT_ATTACKS = lazy(
    r"\b(?:inject(?:ion|ed)s?|jailbreaks?|attack(?:s|ers?)?|phishing|malicious|inyeccion|angriff|attaque|ataque|"
    r"инъекци\w+|атак\w+)\b|注入|越狱|攻击|攻撃|インジェクション"
)
_QUOTED = lazy(
    "\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|«[^»\n]{1,200}»|`[^`\n]{1,200}`|‘[^’\n]{1,200}’|'[^'\n]{8,200}'"
)

Order = tuple[re.Pattern[str], frozenset[str]]


def _compile(phrases: Iterable[Phrase]) -> tuple[Order, ...]:
    return tuple((lazy(_spell(shape)), _needed(words)) for words, shape in phrases)


def _spell(shape: str) -> str:
    for sign, gap in _GAPS.items():
        shape = shape.replace(sign, gap)
    return shape


def _needed(words: str) -> frozenset[str]:
    """Return the words of which a text has to hold one; `_` stands for a space in them."""
    return frozenset(word.replace("_", " ") for word in words.split())


class _Group(NamedTuple):
    """The orders of one script, and by the beginnings of words which of them a text may hold."""

    script: re.Pattern[str]
    orders: tuple[Order, ...]
    spaced: bool  # whether words are parted by spaces, so that they begin where one is
    words: Mapping[str, tuple[str, ...]]
    short: frozenset[str]  # beginnings that are no beginning of a word


BEGINNING: Final = 3  # letters of a word, or one character of a script without spaces


def _group(script: str, *phrases: Phrase, spaced: bool = True) -> _Group:
    orders = _compile(phrases)
    words: dict[str, tuple[str, ...]] = {}
    for word in sorted({word for _, needed in orders for word in needed}):
        beginning = f"{word.split(' ')[0]} "[:BEGINNING] if spaced else word[0]
        words[beginning] = (*words.get(beginning, ()), word)
    short = frozenset(each for each in words if spaced and not each[0].isalpha())
    return _Group(lazy(script), orders, spaced, words, short)


_GROUPS: Final = (
    _group("[a-z]", *ENGLISH, *FRENCH, *GERMAN, *SPANISH, *PORTUGUESE),
    _group("[\u3040-\u30ff\u3400-\u9fff]", *CHINESE, *JAPANESE, spaced=False),
    _group("[\u0400-\u04ff]", *RUSSIAN),
    _group("[<\\[#]", *MARKUP, spaced=False),
)
_WORDS = lazy(r"[^\W\d_]+")
ORDERS: Final = tuple(order for group in _GROUPS for order in group.orders)


def holds_order(text: str) -> bool:
    """Whether one of the text's readings is an order; what a note on attacks quotes is none."""
    return any(map(_is_order, readings(text)))


def _is_order(reading: str) -> bool:
    if not _matches(reading):
        return False
    return not _ABOUT_ATTACKS.search(reading) or _matches(_QUOTED.sub("", reading))


def _matches(reading: str) -> bool:
    return any(_matches_one(reading, group) for group in _GROUPS if group.script.search(reading))


def _matches_one(reading: str, group: _Group) -> bool:
    """Whether one of a group's shapes is in the text; most texts hold none of the words that they need."""
    beginnings = {f"{word} "[:BEGINNING] for word in _WORDS.findall(reading)} if group.spaced else set(reading)
    near = beginnings & group.words.keys() | group.short
    present = {word for beginning in near for word in group.words[beginning] if word in reading}
    return any(shape.search(reading) for shape, needed in group.orders if not needed.isdisjoint(present))
