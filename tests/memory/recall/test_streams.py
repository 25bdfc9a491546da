"""Recall without a query is exact: ranking by streams gives what looking at every memory gives."""

from pathlib import Path

import pytest
from support.random_stores import checked_stores
from support.stores import START, YOUNG, planted

from firmmem.contract import Question
from firmmem.memory.recall import by_score
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import DAY, Life
from firmmem.settings import Settings
from firmmem.store.statements import Connection, transaction

STORES = 300
QUERIES = 12


@pytest.mark.parametrize("part", range(3))
def test_streams_rank_as_looking_at_every_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    if part:  # filters by the streams too, and some of them given up after few tries
        monkeypatch.setattr(by_score, "FILTERED", -1)
    if part == 2:
        monkeypatch.setattr(by_score, "POPS", 3)
    size = STORES // 3
    asked = 0
    for queries, wrong in checked_stores(tmp_path, range(part * size, (part + 1) * size), QUERIES):
        asked += queries
        assert wrong == []
    assert asked == size * QUERIES


def best(connection: Connection, settings: Settings, now: float, **asked: object) -> list[int]:
    """Return the ids of a recall without a query, best first."""
    question = Question("default", token_budget=20_000, tiers=("draft",), **asked)  # type: ignore[arg-type]
    return [memory.id for memory in find(connection, question, settings, now=now).memories]


def test_a_memory_without_trust_never_pushes_out_one_that_has_some(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        planted(connection, Life("draft", 0.5, 0.0, 0.0, 0, 1.0, START))
        trusted = planted(connection, Life("draft", 0.5, 0.5, 0.0, 0, 1.0, START - 200 * DAY))
    assert best(connection, settings, START, limit=1) == [trusted]


def test_another_goals_memory_worth_nothing_never_pushes_out_the_goals_own(
    connection: Connection, settings: Settings
) -> None:
    worthless = settings.model_copy(update={"other_goal": 0.0})
    with transaction(connection):
        planted(connection, YOUNG, goal="stay well")
        own = planted(connection, Life("draft", 0.5, 0.5, 0.0, 0, 1.0, START - 200 * DAY), goal="ship it")
    assert best(connection, worthless, START, goal_id="ship it", limit=1) == [own]


def test_a_thousand_memories_of_one_instant_are_ranked_by_age_of_their_id(
    connection: Connection, settings: Settings
) -> None:
    with transaction(connection):
        ids = [planted(connection) for _ in range(1000)]
    assert best(connection, settings, START + DAY, limit=100) == ids[:100]


@pytest.mark.parametrize("days", [-3650.0, -1 / 24, 0.0, 3650.0])
def test_when_the_clock_steps_scores_stay_shares_and_the_order_by_trust_stays(
    connection: Connection, settings: Settings, days: float
) -> None:
    with transaction(connection):
        ids = [planted(connection, Life("validated", 0.5, trust, 0.0, 0, 1.0, START)) for trust in (0.9, 0.7, 0.5, 0.3)]
    question = Question("default", tiers=("validated",))
    memories = find(connection, question, settings, now=START + days * DAY).memories
    assert [memory.id for memory in memories] == ids
    assert all(0 <= memory.score <= 1 and 0 <= memory.decay <= 1 for memory in memories)
