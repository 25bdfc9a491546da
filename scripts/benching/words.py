"""Made-up memories whose words are as common and as rare as those of a language are.

The word of rank r occurs in proportion to 1 / (r + 2.7)^1.07 (Zipf's law as Mandelbrot has it). The commonest are
English function words; the rest are made of syllables, the same on every machine.
"""

import random
from bisect import bisect
from collections.abc import Callable
from functools import cache
from itertools import accumulate

from firmmem.text.stopwords import ENGLISH

VOCABULARY = 50_000
SHORTEST, LONGEST = 12, 40  # words of a memory
CHINESE_SHARE = 0.05
CHINESE = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就"
    "分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
)
FUNCTION_WORDS = sorted(word for word in ENGLISH if word.isalpha())
ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w".split()  # noqa: SIM905
RHYMES = "a ab al an ar at e el en er est i in ing o on or ot u um un us".split()  # noqa: SIM905


def word(rank: int) -> str:
    """Return the word of a rank, from 0: first the function words, then made ones."""
    if rank < len(FUNCTION_WORDS):
        return FUNCTION_WORDS[rank]
    number, syllables = rank, []
    while number:
        number, rhyme = divmod(number, len(RHYMES))
        number, onset = divmod(number, len(ONSETS))
        syllables.append(ONSETS[onset] + RHYMES[rhyme])
    return "".join(syllables)


@cache
def ladder() -> list[float]:
    """Return the cumulated frequencies of the ranks."""
    return list(accumulate((rank + 2.7) ** -1.07 for rank in range(VOCABULARY)))


@cache
def vocabulary() -> list[str]:
    return [word(rank) for rank in range(VOCABULARY)]


def text(chance: random.Random) -> str:
    """Return a memory's text."""
    length = chance.randint(SHORTEST, LONGEST)
    if chance.random() < CHINESE_SHARE:
        return "".join(drawn(chance, CHINESE.__getitem__, len(CHINESE)) for _ in range(length)) + "。"
    return " ".join(drawn(chance, vocabulary().__getitem__, VOCABULARY) for _ in range(length)) + "."


def drawn(chance: random.Random, named: Callable[[int], str], size: int) -> str:
    steps = ladder()
    return named(bisect(steps, chance.random() * steps[size - 1], hi=size - 1))


@cache
def ranks() -> dict[str, int]:
    return {word: rank for rank, word in enumerate(vocabulary())}


def rarest(text: str) -> list[str]:
    """Return the words of a text, the rarest first; none of one in Chinese characters."""
    known = [word for word in dict.fromkeys(text.rstrip(".").split()) if word in ranks()]
    return sorted(known, key=ranks().__getitem__, reverse=True)


def content(rank: int) -> str:
    """Return the word that is the rank-th most common after the function words."""
    return word(len(FUNCTION_WORDS) + rank)
