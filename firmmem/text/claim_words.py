"""What each structural word does in a sentence: the tags of claim_words.toml, read when a text is first compared."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from firmmem.patterns import lazy

STEM: Final = 7  # letters: subscribes and subscription share them
Tag = str | tuple[str, str | int, int]
NO_TAGS: Final[frozenset[Tag]] = frozenset()

_CONTRACTED = lazy(r"n['’]t\b")
_SUFFIXES = ("ingly", "ings", "ing", "edly", "ies", "ied", "ed", "es", "s", "ers", "er", "ment", "ly")
_KINDS = ("function", "negation", "end", "change", "past", "time", "number", "ordinal")


@cache
def word_lists() -> dict[str, Any]:
    """Return what the file of words holds."""
    return tomllib.loads(Path(__file__).with_name("claim_words.toml").read_text(encoding="utf-8"))


@cache
def word_set(name: str) -> frozenset[str]:
    """Return one of the lists as a set."""
    return frozenset(word_lists()[name].split())


@cache
def lexicon() -> dict[str, frozenset[Tag]]:
    """Return the tags of each word: its kind, the side of a pair of opposites that it is on, a relation it names."""
    lists = word_lists()
    found: dict[str, set[Tag]] = {word: set() for word in lists["whole"].split()}
    tagged: list[tuple[str, Tag]] = [(lists[kind], kind) for kind in _KINDS]
    for number, sides in enumerate(lists["opposites"]):
        tagged += [(words, ("side", number, side)) for side, words in enumerate(sides)]
    tagged += [(words, ("relation", name, 0)) for name, words in lists["relations"].items()]
    for words, tag in tagged:
        for word in words.split():
            found.setdefault(word, set()).add(tag)
    return {word: frozenset(tags) for word, tags in found.items()}


@cache
def phrases() -> list[tuple[re.Pattern[str], str]]:
    """Return the phrases of several words, and the one word that stands for each."""
    return [(re.compile(pattern, re.IGNORECASE), f" {word} ") for pattern, word in word_lists()["phrases"].items()]


def expand_phrases(text: str) -> str:
    """Return a text with contractions written out and each phrase as one word."""
    text = _CONTRACTED.sub(" not", text)
    for pattern, word in phrases():
        text = pattern.sub(word, text)
    return text


@cache
def irregular() -> dict[str, str]:
    """Return the forms that the cutting of endings does not lead to their word."""
    return dict(word_lists()["irregular"])


def stem(word: str) -> str:
    """Return what the forms of an English word share, roughly."""
    word = irregular().get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)]
            if suffix in ("ies", "ied"):
                word += "y"
            elif len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    word = irregular().get(word, word)
    return (word.removesuffix("e") if len(word) > 3 else word)[:STEM]
