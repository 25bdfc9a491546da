"""Words as the search index sees them: text in, tokens that FTS5's unicode61 keeps whole out.

unicode61 knows no words in Chinese or Thai, drops emoji, cuts at Hindi vowel signs and at the signs in `C++`.
So both sides, index and query, pass through `segment`, which puts each such sign into the Private Use Area:
unicode61 counts that as letters, and no ordinary word contains it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from firmmem.dates.date_words import date_words
from firmmem.patterns import lazy
from firmmem.text.normal_form import UNSPACED
from firmmem.text.stopwords import CHINESE, ENGLISH

QUERY_CHARACTERS: Final = 4_000
WHOLE_CHARACTERS: Final = 64
PRIVATE_AREA: Final = 0xF0000

# Marks that readers leave out as they like: accents, Hebrew points, Arabic vowels, variation selectors.
_OPTIONAL_MARKS = (
    (0x300, 0x36F), (0x591, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6ED),
    (0xFE00, 0xFE0F), (0xE0100, 0xE01EF),
)  # fmt: skip
# Categories of joiners, half surrogates, key caps and skin tones.
_UNSEEN = ("Cf", "Cs", "Me", "Sk")
# Letters that are newer than unicode61's tables.
_UNKNOWN_LETTERS = ((0x19B0, 0x19C9), (0x1CF2, 0x1CF3))


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _as_letter(sign: str) -> str:
    return chr(PRIVATE_AREA + (ord(sign) & 0xFFFF))


def _prepare(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if category == "So":
        return f" {_as_letter(character)} "
    if (category in _UNSEEN and code > 0x7F) or _within(code, _OPTIONAL_MARKS):
        return ""
    if category in ("Mn", "Mc") or _within(code, _UNKNOWN_LETTERS):
        return _as_letter(character)
    return character


class _Characters(dict[int, str]):
    """What each character becomes before the text is cut, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        prepared = _prepare(code)
        if code < 0x10000:  # a text full of rare characters must not fill the memory
            self[code] = prepared
        return prepared


_CHARACTERS = _Characters({ord("’"): "'", ord("‐"): "-", 0x640: ""})

_SIGNS = "\U000f0000-\U000ffffd"
_WORD = rf"(?:[^\W_{UNSPACED}]|[{_SIGNS}])+"
_UNIT = rf"{_WORD}(?:(?:\+\+|\+|#)(?![^\W_]))?"
_UNITS = lazy(_UNIT)
_SPANS = lazy(rf"(?P<run>(?:[{UNSPACED}][{_SIGNS}]*)+)|\.?{_UNIT}(?:[-_.@:/'+#&]{{1,2}}{_UNIT})*")
_CLUSTERS = lazy(rf"[{UNSPACED}][{_SIGNS}]*")
_PUNCTUATION = lazy(rf"[^\w{_SIGNS}]|_")
_POSSESSIVE = lazy(r"'s$", re.IGNORECASE)
_NOT_TEXT = lazy("[\0\ud800-\udfff]")
_HUMPS = lazy(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Indexed:
    """What the search index keeps of a text: its words, those that occur more than once, and how many."""

    words: str
    repeated: str
    length: int


def segment_words(text: str) -> list[str]:
    """The text's words in order, each of them one FTS5 token.

    Runs of Chinese, Japanese, Korean, Thai and their like become single characters, then overlapping pairs.
    `node.js`, `C++` and `camelCase` give their parts, then themselves; a date gives its month's name too.
    """
    plain = unicodedata.normalize("NFKC", text)
    spans = _SPANS.finditer(plain.translate(_CHARACTERS))
    words = [word for span in spans for word in (_run(span[0]) if span["run"] else _identifier(span[0]))]
    return words + date_words(plain)


def index_columns(text: str) -> Indexed:
    """The columns of the search index for one text."""
    words = segment_words(text)
    repeated = [word for word, count in Counter(words).items() if count > 1]
    return Indexed(words=" ".join(words), repeated=" ".join(repeated), length=len(words))


def query_terms(query: str, most: int = 64) -> list[str]:
    """The distinct words to look for, in order, without stop-words unless there is nothing else.

    Beyond `most` the longest are kept, as a rule the rarest; of a very long query only the beginning is read.
    Chinese questions need the room: at 24 terms LifeBench's R@5 falls from .47 to .43.
    """
    terms = telling_words(segment_words(query[:QUERY_CHARACTERS]))
    kept = set(sorted(terms, key=len, reverse=True)[:most])
    return [term for term in terms if term in kept]


def telling_words(segments: Iterable[str]) -> list[str]:
    """The distinct words of a text that tell it from others, in order: no stop-words unless there is nothing else."""
    words = list(dict.fromkeys(segments))
    return [word for word in words if not is_stop_word(word)] or words


def match_expression(term: str, column: str = "words") -> str:
    """The FTS5 expression that finds one term in one column; no text can make it invalid."""
    quoted = _NOT_TEXT.sub(" ", term).replace('"', '""')
    return f'{column} : "{quoted}"'


def _run(run: str) -> list[str]:
    characters = [_fold_word(character) for character in _CLUSTERS.findall(run)]
    return characters + [first + second for first, second in pairwise(characters)]


def _identifier(span: str) -> list[str]:
    if span.isascii() and span.isalnum() and (span.islower() or span.istitle() or span.isdigit()):
        return [span.lower()]  # an ordinary word has no parts: most are
    name = _POSSESSIVE.sub("", span)
    if name.lower() in ENGLISH:  # `don't` is one word, not Don and a t
        return [_whole(name)]
    units = _UNITS.findall(name)
    words = [_fold_word(part) for unit in units for part in _HUMPS.split(unit.rstrip("+#"))]
    wholes = [_whole(whole) for whole in dict.fromkeys([*units, name]) if len(whole) <= WHOLE_CHARACTERS]
    return words + [whole for whole in wholes if whole not in words]


def _fold_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word.casefold()).translate(_CHARACTERS)


def _whole(name: str) -> str:
    return _PUNCTUATION.sub(lambda sign: _as_letter(sign[0]), _fold_word(name))


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(map(_whole, ENGLISH)) | CHINESE


def is_stop_word(word: str) -> bool:
    """Return whether a word is too common to say what a question is about."""
    return word in _stop_words() or (len(word) == 2 and set(word) <= CHINESE)
