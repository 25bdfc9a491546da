"""Recall without a query against brute force in Python: every memory read, filtered, scored and sorted anew."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as given_settings
from hypothesis import strategies as st
from support.random_stores import SMALL, fill, random_question
from support.stores import START

from firmmem import scoring
from firmmem.contract import TIERS, Question
from firmmem.memory.recall import by_score
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection

Ranking = list[tuple[int, float]]


@pytest.fixture(scope="module", params=[0.6, 0.0], ids=["usual", "other goals worth nothing"])
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(db=tmp_path_factory.mktemp("exact") / "firmmem.db", other_goal=request.param)


@pytest.fixture(scope="module")
def store(settings: Settings) -> Iterator[Connection]:
    connection = open_connection(settings)
    yield connection
    connection.close()


@given(
    seed=st.integers(0, 2**32),
    days=st.sampled_from([0.0, 30.0, -1 / 24, -3650.0, 3650.0]) | st.floats(-400, 7300),
    filtered=st.sampled_from([by_score.FILTERED, -1]),  # by a filter's own index, or by the streams
    pops=st.sampled_from([by_score.POPS, 3]),
)
@given_settings(max_examples=100, deadline=None)
def test_what_is_told_is_what_brute_force_ranks_first(
    store: Connection, settings: Settings, seed: int, days: float, filtered: int, pops: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    now = START + days * DAY
    store.execute("BEGIN")
    try:
        for namespace in ("default", "elsewhere"):
            fill(store, chance, namespace)
        for tier in TIERS * 3:
            question = replace(random_question(chance, "default"), tiers=(tier,), token_budget=20_000)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(by_score, "FILTERED", filtered)
                patch.setattr(by_score, "POPS", pops)
                told = [(each.id, each.score) for each in find(store, question, settings, now=now).memories]
            agree(told, brute_force(store, question, settings, now), question.limit)
    finally:
        store.execute("ROLLBACK")


def agree(told: Ranking, ranked: Ranking, limit: int) -> None:
    """Hold two rankings to each other: in every score, and in every memory whose score is no other's."""
    expected = ranked[:limit]
    assert [score for _, score in told] == pytest.approx([score for _, score in expected], rel=1e-8, abs=SMALL)
    assert {id_ for id_, _ in told} <= {id_ for id_, _ in ranked}
    assert len({id_ for id_, _ in told}) == len(told)
    every = [score for _, score in ranked]
    for (id_, _), (other, score) in zip(told, expected, strict=True):
        alone = sum(abs(each - score) <= 1e-8 * score + SMALL for each in every) == 1
        assert id_ == other or not alone


def brute_force(connection: Connection, question: Question, settings: Settings, now: float) -> Ranking:
    """Return every memory that the question lets through, by id, with its score, best first."""
    every = connection.execute(
        "SELECT memory.*, shelf.namespace, state, branch, name AS goal_name FROM memory "
        "JOIN shelf ON shelf.id = memory.shelf LEFT JOIN goal ON goal.id = memory.goal"
    )
    scored = [(row["id"], score(row, question, settings, now)) for row in every if passes(row, question)]
    return sorted(scored, key=lambda pair: -pair[1])


def passes(row: Any, question: Question) -> bool:
    states = ("active", "archived", "superseded") if question.include_archived else ("active",)
    return (
        row["namespace"] == question.namespace
        and row["state"] in states
        and row["branch"] in ("", question.branch)
        and row["tier"] in question.tiers
        and question.since <= row["created_at"] < question.until
        and (not question.tags or not set(question.tags).isdisjoint(json.loads(row["tags"])))
    )


def score(row: Any, question: Question, settings: Settings, now: float) -> float:
    if row["tier"] == "core":
        return 1.0
    base = getattr(settings, f"{row['tier']}_half_life")
    half_life = scoring.effective_half_life(
        base, row["consolidation"], row["recall_count"], settings.consolidation_base
    )
    left = scoring.decay((now - row["reviewed_at"]) / DAY, half_life)
    serves = not question.goal_id or row["goal_name"] == question.goal_id
    worth = 1.0 if serves else settings.other_goal
    return scoring.rfm(left, row["strength"], row["importance"]) * float(row["trust"]) * worth
