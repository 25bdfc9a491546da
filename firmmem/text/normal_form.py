"""A memory's text: what may be stored of it, when two of them are the same, and how much room one takes."""

import unicodedata
from typing import Final

from firmmem.errors import InvalidTextError
from firmmem.patterns import lazy

UNSPACED: Final = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua000-\ua48f\uac00-\ud7fb\u1100-\u11ff\ua960-\ua97c\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003fffd\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u1089\u1780-\u17d3"
)
"""The inside of a regular expression's class: characters of scripts that don't part words by spaces (Chinese,
Japanese, Thai, Lao, Burmese, Khmer), and Korean, which glues particles to its words.
"""

_NOT_TEXT = lazy("[\0\ud800-\udfff]")
# A flag's tags are at most six letters or digits: no room to hide a sentence in.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
_HIDDEN = lazy(
    f"({_FLAG})|[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\x01-\x08\x0e-\x1f\x7f-\x9f]"
)
# What Unicode calls default-ignorable, and fillers that show nothing: joiners, soft hyphens, variation selectors.
_UNSEEN = lazy(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_LINE_ENDS = lazy("\r\n?|[\x0b\x0c]")
_EXPONENT = lazy("(?<=\\d)(?=[²³¹⁰⁴-⁹⁺⁻])")
_UNSPACED_CHARACTER = lazy(f"[{UNSPACED}]")
_SENTENCE_END = " .!,;。、"


def clean_text(text: str) -> str:
    """What may be stored of a text: the same to the eye, with nothing hidden in it.

    Zero-width joiners and variation selectors stay: Persian and emoji need them.

    Raises:
        InvalidTextError: the text is empty, or no Unicode string can hold it.
    """
    if _NOT_TEXT.search(text):
        raise InvalidTextError("The text has a NUL or half a surrogate pair in it: send it without.")
    seen = _HIDDEN.sub(lambda found: found[1] or "", _LINE_ENDS.sub("\n", text)).strip()
    if not _UNSEEN.sub("", seen).strip():
        raise InvalidTextError("The text is empty: send one or two sentences.")
    return seen


def describe_cleaning(text: str) -> tuple[str, ...]:
    """Return a note on each thing by which a stored text differs from the one that was sent."""
    notes = ("its line ends were made plain ones",) if _LINE_ENDS.search(text) else ()
    if _HIDDEN.sub(lambda found: found[1] or "", text) != text:
        return (*notes, "signs that show nothing, such as a byte order mark, were left out")
    return notes


def normal_form(text: str) -> str:
    """The text that two memories share if they are one: without case, width, spacing and a last full stop.

    A question mark is kept, since a question is not its answer. What shows nothing does not count.
    """
    folded = " ".join(_fold_case(_UNSEEN.sub("", text) or text).split())
    return folded.rstrip(_SENTENCE_END) or folded


def as_read(text: str) -> str:
    """The text as its reader takes it: wide and styled letters as plain ones, and nothing of what shows nothing."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model reads: one a character of an unspaced script, else a quarter."""
    dense = 0 if text.isascii() else len(_UNSPACED_CHARACTER.findall(text))
    return dense + -((dense - len(text)) // 4)


def to_one_line(text: str) -> str:
    """The text on one line, for a list."""
    return " ".join(text.split())


def count_memories(count: int) -> str:
    """A number of memories in words."""
    return "1 memory" if count == 1 else f"{count} memories"


def _fold_case(text: str) -> str:
    """Unicode's compatibility caseless form (The Unicode Standard, D146), composed; but 2⁵ does not become 25."""
    once = unicodedata.normalize("NFKD", _EXPONENT.sub("^", unicodedata.normalize("NFD", text)).casefold())
    return unicodedata.normalize("NFKC", once.casefold())
