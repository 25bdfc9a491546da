"""How version 0.2.0 noticed a contradiction: nearly the same words, and another number or a denial."""

import re

from firmmem.text.search_words import index_columns, segment_words
from firmmem.text.stopwords import CHINESE, ENGLISH

DENYING = "not no never none without cannot 不 没 无 非 别 勿 未 否"
NUMBER = re.compile(r"\d")


def contradicts(older: str, newer: str) -> bool:
    """Return whether 0.2.0 took the two for a contradiction."""
    own, theirs = (set(index_columns(text).words.split()) for text in (newer, older))
    deny = set(segment_words(" ".join([DENYING, *(word for word in ENGLISH if word.endswith("n't"))])))
    functions = set(segment_words(" ".join([*ENGLISH, *CHINESE])))

    def numbers(words: set[str]) -> set[str]:
        return {word for word in words if not word.isalpha() and NUMBER.search(word)}

    def content(words: set[str]) -> set[str]:
        return words - functions - deny - numbers(words)

    common = content(own) & content(theirs)
    if len(common) < 2 or len(common) < 0.5 * len(content(own) | content(theirs)):
        return False
    denied = bool(own & deny) != bool(theirs & deny)
    return denied or bool(numbers(own) - theirs and numbers(theirs) - own)
