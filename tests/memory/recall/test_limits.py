"""What a recall may cost at most, and that little of what it would find is lost to that."""

import random

import pytest
from support.stores import START, YOUNG, planted

from firmmem.contract import Question
from firmmem.memory.recall.limits import UNCAPPED, USUAL, Caps
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.scope import scope_for
from firmmem.memory.recall.word_frequencies import count_frequencies
from firmmem.render.replies import render_recalled
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection
from firmmem.text.search_words import match_expression

TIGHT = Caps(counted=20, least_counted=5, brought=20, filtered=4, candidates=10, leading=2)


@pytest.fixture
def store(settings: Settings) -> Connection:
    return open_connection(settings)


def found(connection: Connection, query: str, caps: Caps, settings: Settings, **said: object) -> list[str]:
    question = Question("default", query=query, token_budget=20_000, **said)  # type: ignore[arg-type]
    return [memory.summary for memory in find(connection, question, settings, caps=caps, now=START).memories]


def fill(connection: Connection, texts: list[str]) -> None:
    for text in texts:
        planted(connection, YOUNG, text)


def test_two_common_words_together_are_found_however_old(store: Connection, settings: Settings) -> None:
    fill(
        store, ["the heron by the pond", *(f"a heron number {n}" for n in range(30)), *(f"pond {n}" for n in range(30))]
    )
    assert found(store, "heron pond", TIGHT, settings)[0] == "the heron by the pond"


def test_common_words_that_never_meet_bring_the_newest(store: Connection, settings: Settings) -> None:
    fill(store, [*(f"a heron number {n}" for n in range(40)), *(f"pond {n}" for n in range(30))])
    assert "pond 29" in found(store, "heron pond", TIGHT, settings)


def test_a_common_word_beside_the_best_is_lifted(store: Connection, settings: Settings) -> None:
    for number in range(40):
        planted(store, YOUNG, f"Ann said number {number}", created_at=START - 1_000 * (50 - number))
    fill(store, ["Ann has a tortoise", "Ann fed it"])
    for number in range(40):
        planted(store, YOUNG, f"Ann said again {number}", created_at=START + 1_000 * (number + 1))
    for caps in (TIGHT, UNCAPPED):
        assert found(store, "the tortoise of Ann", caps, settings)[:2] == ["Ann has a tortoise", "Ann fed it"]


def test_where_words_go_in_waves_they_are_not_taken_for_rare(store: Connection, settings: Settings) -> None:
    texts = [f"snow on day {n}" for n in range(200)] + [f"rain on day {n}" for n in range(200)]
    fill(store, ["snow was forecast", *(f"rain {n}" for n in range(50)), *texts, "no snow today"])
    place, _ = scope_for(store, Question("default"), settings, Caps(counted=40), now=START)
    assert 100 <= count_frequencies(store, place, {"snow": match_expression("snow")})[0]["snow"] <= 400
    place, _ = scope_for(store, Question("default"), settings, UNCAPPED, now=START)
    assert count_frequencies(store, place, {"snow": match_expression("snow")})[0]["snow"] == 202


def test_a_small_store_is_answered_as_without_caps(store: Connection, settings: Settings) -> None:
    chance = random.Random(7)  # noqa: S311 - the same store every time
    words = ["office", "berlin", "lisbon", "move", "train", "paper", "river", "stone"]
    fill(store, [f"{' '.join(chance.choices(words, k=4))} {number}" for number in range(300)])
    for query in ("office berlin", "the river of stone and paper", "train"):
        assert found(store, query, USUAL, settings) == found(store, query, UNCAPPED, settings)


def test_a_filter_is_not_outvoted_by_rows_that_it_leaves_out(store: Connection, settings: Settings) -> None:
    fill(store, ["heron"] + [f"the heron heron pond number {n}" for n in range(50)])
    strict = Caps(candidates=5, brought=1_000)
    assert found(store, "heron pond", strict, settings, until=START - 1) == []
    assert len(found(store, "heron pond", strict, settings, tiers=("draft",), limit=20)) == 20


def test_matches_that_are_not_all_counted_are_told_as_at_least_so_many(store: Connection, settings: Settings) -> None:
    fill(store, [f"a heron number {n}" for n in range(40)])
    question = Question("default", query="heron", limit=3)
    few = find(store, question, settings, caps=TIGHT, now=START)
    assert few.uncounted
    assert 0 < few.more < 37
    assert f"{few.more} or more that match" in render_recalled(few, question, prior_strength=0.1, now=START)
    every = find(store, question, settings, now=START)
    assert (every.more, every.uncounted) == (37, False)
    assert "37 more that match" in render_recalled(every, question, prior_strength=0.1, now=START)
