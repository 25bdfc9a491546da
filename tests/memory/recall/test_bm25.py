"""What matches is weighed and seen in its context as a plain reading of every text has it."""

import random
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest
from support.stores import START, YOUNG, planted

from firmmem import scoring
from firmmem.contract import Question
from firmmem.memory.recall.bm25 import CONTEXT_MS, K1, B, match_words, top_rows
from firmmem.memory.recall.limits import UNCAPPED, USUAL
from firmmem.memory.recall.query_terms import Terms, weigh_terms
from firmmem.memory.recall.scope import scope_for
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection
from firmmem.text.search_words import query_terms

WORDS = ["office", "berlin", "lisbon", "train", "paper", "river", "stone", "green"]
QUERIES = ("office", "office berlin w3", " ".join(WORDS), "elsewhere")
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"tags": ("red",)},
    {"tiers": ("validated",)},
    {"since": START - 20 * DAY, "until": START - 3 * DAY},
    {"include_archived": True},
)


@pytest.fixture(autouse=True)
def _without_resemblance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a memory shares with the best matches: it has tests of its own."""
    monkeypatch.setattr(scoring, "RESEMBLANCE", 0.0)


@dataclass(frozen=True)
class Planted:
    """A memory as a reader of its text sees it."""

    shelf: str
    words: list[str]
    at: float
    tier: str
    tags: tuple[str, ...]


def grown(connection: Connection, chance: random.Random, count: int = 120) -> dict[int, Planted]:
    """Plant texts of a few words, many of them written within minutes of others."""
    store = {}
    at = START - 30 * DAY
    for number in range(count):
        at += chance.choice([30.0, 200.0, 599.0, 601.0, DAY])
        words = [*chance.choices(WORDS, k=chance.randint(1, 9)), f"w{number}"]
        state = chance.choice(["active", "active", "active", "archived", "quarantined"])
        life = replace(YOUNG, tier=chance.choice(["validated", "draft"]))
        tags = chance.choice([(), ("red",), ("green", "red")])
        planted_id = planted(connection, life, " ".join(words), state=state, tags=tags, created_at=at)
        store[planted_id] = Planted(state, [*words, *tags], at, life.tier, tags)
    return store


def passing(store: dict[int, Planted], question: Question) -> dict[int, Planted]:
    """Return the memories that a question's filters let pass."""
    states = ("active", "archived") if question.include_archived else ("active",)
    return {
        number: memory
        for number, memory in store.items()
        if memory.shelf in states
        and memory.tier in question.tiers
        and question.since <= memory.at < question.until
        and (not question.tags or set(question.tags) & set(memory.tags))
    }


def bm25(words: list[str], weights: dict[str, float], mean: float) -> float:
    """Return BM25 with counts above 2 taken as 2."""
    damping = K1 * (1 - B + B * len(words) / mean)
    counts = {term: min(2, words.count(term)) for term in weights}
    return sum(weights[term] * count * (K1 + 1) / (count + damping) for term, count in counts.items() if count)


def relevances(store: dict[int, Planted], weights: dict[str, float], mean: float) -> dict[int, tuple[float, float]]:
    """Return the relevance of each memory that matches, in its context and by itself."""
    scores = {number: bm25(memory.words, weights, mean) for number, memory in store.items()}
    scores = {number: score for number, score in scores.items() if score}
    best = max(scores.values(), default=1.0)
    found = {}
    for number, score in scores.items():
        support = sum(
            weight * scores[other]
            for distance, weight in enumerate(scoring.CONTEXT, 1)
            for other in (number - distance, number + distance)
            if other in scores
            and store[other].shelf == store[number].shelf
            and abs(store[other].at - store[number].at) * 1000 <= CONTEXT_MS
        )
        found[number] = (scoring.lift_by_context(score / best, support / best), score / best)
    return found


def weights_of(asked: Terms) -> dict[str, float]:
    return {hit.once.removeprefix('words : "').removesuffix('"'): hit.weight for hit in asked.hits}


@pytest.mark.parametrize("seed", range(4))
def test_relevance_is_that_of_reading_every_text(settings: Settings, seed: int) -> None:
    connection = open_connection(settings)
    store = grown(connection, random.Random(seed))  # noqa: S311 - the same store every time
    for query, filters, caps in product(QUERIES, FILTERS, (USUAL, UNCAPPED)):
        question = Question("default", query=query, **filters)
        place, _ = scope_for(connection, question, settings, caps, now=START)
        asked = weigh_terms(connection, place, query_terms(query), query)
        found = match_words(connection, place, asked, 1_000, bound=0.0)
        mean = sum(shelf.words for shelf in place.shelves) / place.size
        expected = relevances(passing(store, question), weights_of(asked), mean)
        assert {match.id for match in found.matches} == {*expected}
        assert found.count == len(expected)
        for match in found.matches:
            assert (match.relevance, match.own) == pytest.approx(expected[match.id])
    connection.close()


def test_a_bound_leaves_out_what_cannot_rank_and_nothing_else(settings: Settings) -> None:
    connection = open_connection(settings)
    grown(connection, random.Random(5))  # noqa: S311 - the same store every time
    question = Question("default", query="office berlin", limit=3)
    place, _ = scope_for(connection, question, settings, now=START)
    asked = weigh_terms(connection, place, query_terms(question.query), question.query)
    every = match_words(connection, place, asked, 1_000, bound=0.0)
    some = match_words(connection, place, asked, 1_000, bound=0.9)
    third = sorted((match.relevance for match in every.matches), reverse=True)[2]
    assert {match.id for match in some.matches} == {
        match.id for match in every.matches if match.relevance >= 0.9 * third
    }
    assert (some.count, some.best) == (every.count, every.best)
    assert len(some.matches) < len(every.matches)
    connection.close()


def test_of_equal_weights_the_newest_rows_are_foremost() -> None:
    assert top_rows({1: 2.0, 2: 3.0, 3: 2.0, 4: 1.0}, 3) == [2, 3, 1]


def test_a_date_brings_no_more_rows_than_may_be_filtered(settings: Settings) -> None:
    connection = open_connection(settings)
    for number in range(10):
        planted(connection, YOUNG, f"heron {number}", created_at=START - DAY)
    query = "what was there yesterday"
    for caps, count in ((USUAL, 10), (replace(USUAL, filtered=4), 4)):
        place, _ = scope_for(connection, Question("default", query=query), settings, caps, now=START)
        asked = weigh_terms(connection, place, query_terms(query), query)
        assert match_words(connection, place, asked, 1_000, bound=0.0).count == count
    connection.close()
