"""What a new text resembles, and what it may contradict, so that its writer can supersede it."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from firmmem.contract import Quote
from firmmem.memory.rows.supersede import quote_row
from firmmem.store.statements import Connection, fetch
from firmmem.text.claims import read_claim
from firmmem.text.contradictions import Pair
from firmmem.text.search_words import match_expression, segment_words, telling_words
from firmmem.text.stopwords import CHINESE, ENGLISH

PROBED = 8  # words of a text, of which the rarest are searched
COUNTED = 50  # rows up to which it is counted how rare a word is
RAREST = 3
SELDOM = 8  # memories that have a word, up to which it is looked for alone
READ = 100  # rows compared at most
TOLD = 3
DUPLICATE = 0.75  # the share of common words (Jaccard) above which two texts say the same
COMPARED = 8  # of these, what has most content words in common is read as a statement
NOTHING_NEAR: Mapping[int, float] = MappingProxyType({})
DENYING = "not no never none without cannot 不 没 无 非 别 勿 未 否"
NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class Similar:
    """Memories that say nearly the same, and memories that may say the opposite."""

    duplicates: tuple[Quote, ...] = ()
    contradicted: tuple[Quote, ...] = ()


def find_similar(
    connection: Connection,
    summary: str,
    words: str,
    rows: tuple[int, int],
    known: Iterable[int],
    near: Mapping[int, float] = NOTHING_NEAR,
) -> Similar:
    """Compare a text with what shares its rarest words, among the search index's `rows` and without the ids `known`.

    `near` are memories near in meaning and their cosines, where the model is on: they are compared too.
    """
    own = set(words.split())
    found = [*find_neighbours(connection, words, rows, known), *find_near(connection, rows, known, near)]
    compared = {row["id"]: (overlap(own, set(row["words"].split())), row) for row in found}
    claim = None
    duplicates: list[tuple[float, Quote]] = []
    contradicted: list[tuple[float, Quote]] = []
    best = sorted(compared.values(), key=lambda pair: (-pair[0][1] - near.get(pair[1]["id"], 0.0), -pair[1]["id"]))
    for (share, content), row in best[:COMPARED]:
        if not content and row["id"] not in near and share < DUPLICATE:
            continue
        quote = quote_row(row)
        claim = claim or read_claim(summary)
        pair = Pair.of(read_claim(row["summary"]), claim)
        if pair.is_contradictory(near.get(row["id"], 0.0)):
            contradicted.append((content, quote))
        elif share >= DUPLICATE or pair.alike:
            duplicates.append((share, quote))
    return Similar(nearest_few(duplicates), nearest_few(contradicted))


def overlap(own: set[str], theirs: set[str]) -> tuple[float, float]:
    """Return the shares of all words and of content words that two texts have in common (Jaccard)."""
    content, other = content_words(own), content_words(theirs)
    return len(own & theirs) / len(own | theirs), len(content & other) / max(1, len(content | other))


def find_near(
    connection: Connection, rows: tuple[int, int], known: Iterable[int], near: Mapping[int, float]
) -> list[Any]:
    """Return the memories that are near in meaning, of those that lie among `rows`."""
    if not near:
        return []
    lowest, highest = rows
    ids = json.dumps([memory for memory in near if memory not in set(known)])
    return fetch(connection, "near", ids=ids, lowest=lowest, highest=highest)


def find_neighbours(
    connection: Connection, words: str, rows: tuple[int, int], known: Iterable[int], *, least: int = 1
) -> list[Any]:
    """Return the memories that share two of a text's rarest words, of those that `least` memories or more have.

    Nearly all that share one only are about something else: they take the time, and of the newest that are compared
    they leave no room (`scripts/evaluate.py alike`). In a short text, a word that `SELDOM` memories or fewer have
    is enough alone: two short statements about one thing often share no other.
    """
    lowest, highest = rows
    terms = probe_words(words)
    probes = json.dumps([[lowest, highest, match_expression(term)] for term in terms])
    counted = fetch(connection, "frequency", probes=probes, most=COUNTED)
    rarest = sorted((row["frequency"], row["probe"]) for row in counted if row["frequency"] >= least)[:RAREST]
    if not rarest:
        return []
    return fetch(
        connection,
        "neighbours",
        match=match_two_of(
            [match_expression(terms[probe]) for _, probe in rarest],
            sum(count <= SELDOM for count, _ in rarest) if len(terms) < PROBED else 0,
        ),
        lowest=lowest,
        highest=highest,
        known=json.dumps(list(known)),
        most=READ,
    )


def probe_words(words: str) -> list[str]:
    """Return the longest of a text's words, as a rule its rarest; of those as long as each other, from all over it."""
    terms = telling_words(words.split())
    if len(terms) <= PROBED:
        return terms
    shortest = sorted(map(len, terms), reverse=True)[PROBED - 1]
    longer = [term for term in terms if len(term) > shortest]
    others = [term for term in terms if len(term) == shortest]
    room = PROBED - len(longer)
    return longer + [others[number * len(others) // room] for number in range(room)]


def match_two_of(terms: list[str], seldom: int = 0) -> str:
    """Return the FTS5 expression for what has two of these terms, or one of the first `seldom`, or the one there is."""
    pairs = [f"({term} AND ({' OR '.join(terms[place:])}))" for place, term in enumerate(terms[:-1], 1)]
    return " OR ".join([*terms[:seldom], *pairs]) or terms[0]


@cache
def negations() -> frozenset[str]:
    """Return the words that deny, as the index has them: it writes an apostrophe as a letter."""
    return frozenset(segment_words(" ".join([DENYING, *(word for word in ENGLISH if word.endswith("n't"))])))


@cache
def function_words() -> frozenset[str]:
    """Return the words that any text has, as the index has them."""
    return frozenset(segment_words(" ".join([*ENGLISH, *CHINESE])))


def content_words(words: set[str]) -> set[str]:
    """Return the words that say what a text is about."""
    return words - function_words() - negations() - number_words(words)


def number_words(words: set[str]) -> set[str]:
    """Return the words that hold a number, a date's among them."""
    return {word for word in words if not word.isalpha() and NUMBER.search(word)}


def nearest_few(found: list[tuple[float, Quote]]) -> tuple[Quote, ...]:
    """Return the few most alike, nearest first."""
    return tuple(quote for _, quote in sorted(found, key=lambda pair: (-pair[0], pair[1].id))[:TOLD])
