"""A statement cut into words with their tags: English by spaces, Chinese by the structural words in it."""

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

from firmmem.patterns import lazy
from firmmem.text.claim_words import NO_TAGS, Tag, expand_phrases, lexicon, stem, word_set

HAN = lazy("[\u3400-\u9fff]+")
_TOKEN = lazy(
    r"(?P<id>[A-Za-z0-9]*[/_#@\\][\w/#@.\\-]+|[A-Za-z]+\d[\w.-]*|\d+(?:[.,:/-]\d+)+"
    r"|[\w]+\.(?:py|js|ts|go|rs|sh|md|sql|csv|toml))"
    r"|(?P<number>\d+)|(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)|(?P<mark>[,;:，；：。.!?！？])"
)
_QUARTER = lazy(r"[QH][1-4]")
_NUMERIC = lazy(r"\d[\d.,:/-]*")
_ZH_COUNT = "〇零一二两三四五六七八九十百"
_ZH_TIME = lazy(
    rf"[每隔]?(?:周|星期|礼拜)[一二三四五六日天末]|第?[{_ZH_COUNT}\d]+(?:月份?|日|号|点半?|分钟?|年|小时|天|周|世纪)"
    r"(?:半|[一二三四五六七八九十\d]+分?)?"
)
_ZH_NUMBER = lazy(rf"第?[{_ZH_COUNT}千万半]*[{_ZH_COUNT.replace('一', '')}千万][{_ZH_COUNT}千万半]*|第一")
_TIME: Final[frozenset[Tag]] = frozenset({"time"})


class Token(NamedTuple):
    """A word, a number, a time, an identifier or a mark, and what it does in the sentence."""

    kind: str
    word: str
    tags: frozenset[Tag] = NO_TAGS

    @property
    def key(self) -> str:
        """What the forms of this word share."""
        return stem(self.word) if self.kind != "id" and self.word.isascii() and self.word.isalpha() else self.word

    @property
    def is_han(self) -> bool:
        """Whether it is Chinese."""
        return bool(HAN.match(self.word))


def cut_claim(text: str) -> list[Token]:
    """Return the words of a statement."""
    found: list[Token] = []
    for match in _TOKEN.finditer(expand_phrases(unicodedata.normalize("NFKC", text))):
        kind, piece = match.lastgroup or "", match[0]
        if kind == "word" and len(piece) == 1 and piece.isupper() and found and piece != "I":
            found.append(Token("id", piece))  # product A, team B
        elif piece == "May" and found and (found[-1].kind == "number" or found[-1].word in word_set("preposition")):
            found.append(Token("time", "may", _TIME))  # the month, not the verb
        elif kind == "word":
            found += cut_word(piece)
        else:
            piece = piece.rstrip(".-:/") if kind == "id" else piece
            numeric = kind == "id" and _NUMERIC.fullmatch(piece)
            found.append(
                Token("number" if numeric else "time" if _QUARTER.fullmatch(piece) else kind, piece, tags_of(piece))
            )
    return found


def tags_of(piece: str) -> frozenset[Tag]:
    """Return the tag of a quarter of a year, which is a time."""
    return _TIME if _QUARTER.fullmatch(piece) else NO_TAGS


def cut_word(piece: str) -> list[Token]:
    """Return the words of a run of letters, which may be of both kinds."""
    if piece.isascii():
        word = piece.lower().removesuffix("'s")
        return [Token("word", word, lexicon().get(word, NO_TAGS))]
    found: list[Token] = []
    start = 0
    for match in HAN.finditer(piece):
        found += [*cut_latin(piece[start : match.start()]), *cut_chinese(match[0])]
        start = match.end()
    return [*found, *cut_latin(piece[start:])]


def cut_latin(piece: str) -> list[Token]:
    """Return the one word of letters that are not Chinese."""
    word = piece.lower().removesuffix("'s").removesuffix("’s")
    return [Token("word", word, lexicon().get(word, NO_TAGS))] if word else []


def cut_chinese(run: str) -> list[Token]:
    """Return the structural words of a run of Chinese, and what is between them."""
    found: list[Token] = []
    place = start = 0
    while place < len(run):
        token, end = match_chinese(run, place)
        if token is None:
            place += 1
            continue
        if start < place:
            found.append(Token("word", run[start:place]))
        found.append(token)
        place = start = end
    return [*found, Token("word", run[start:])] if start < len(run) else found


def match_chinese(run: str, place: int) -> tuple[Token | None, int]:
    """Return the time, the number or the longest known word that begins at a place, and where it ends."""
    if match := _ZH_TIME.match(run, place):
        return Token("time", match[0], _TIME), match.end()
    if match := _ZH_NUMBER.match(run, place):
        return Token("number", match[0]), match.end()
    if match := chinese_words().match(run, place):
        return Token("word", match[0], lexicon()[match[0]]), match.end()
    return None, place


@cache
def chinese_words() -> re.Pattern[str]:
    """Return the expression for every known Chinese word, the longest first."""
    words = sorted((word for word in lexicon() if HAN.fullmatch(word)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))
