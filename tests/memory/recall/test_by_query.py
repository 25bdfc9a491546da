"""What is left out of scoring could not have ranked."""

import random
from dataclasses import replace
from typing import Any

import pytest
from support.stores import START, YOUNG, planted

from firmmem.contract import Question
from firmmem.memory.recall import by_query, evidence
from firmmem.memory.recall.bm25 import match_words
from firmmem.memory.recall.matches import Matched
from firmmem.memory.recall.query_terms import Terms
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.scope import Scope
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch

WORDS = ["office", "berlin", "lisbon", "move", "train", "paper", "river", "stone", "green", "quiet"]


def grown(settings: Settings, seed: int) -> Connection:
    """A store of texts with common words, and of every trust, importance and age."""
    connection = open_connection(settings)
    chance = random.Random(seed)  # noqa: S311 - no secret hangs on it
    for number in range(150):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 9))) + f" {number}"
        life = replace(
            YOUNG,
            tier=chance.choice(["core", "validated", "draft", "draft"]),
            trust=chance.choice([0.0, 0.3, 0.7, 1.0]),
            importance=chance.choice([0.0, 0.2, 0.5, 1.0]),
            reviewed_at=START - 86_400 * chance.expovariate(1 / 60),
        )
        planted(connection, life, text)
    return connection


@pytest.mark.parametrize("prior_strength", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_not_scored_could_not_rank(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, prior_strength: float, seed: int
) -> None:
    settings = settings.model_copy(update={"prior_strength": prior_strength})
    connection = grown(settings, seed)
    questions = [
        Question("default", query=query, limit=limit, goal_id=goal, token_budget=20_000, explain=True)
        for query in ("office", "office berlin", "green quiet stone river", "lisbon 3")
        for limit in (1, 5, 20)
        for goal in ("", "unknown")
    ]

    def scores() -> list[list[float]]:
        found = (find(connection, question, settings, now=START).memories for question in questions)
        return [[memory.score for memory in memories] for memories in found]

    def every(connection: Connection, scope: Scope, asked: Terms, scored: int, *, bound: float) -> Matched:
        return match_words(connection, scope, asked, 10 * scored, bound=0.0 * bound)

    def all_scored(connection: Connection, name: str, candidate: str = "", /, **parameters: Any) -> list[Any]:
        return fetch(connection, name, candidate, **parameters | ({"least": 0.0} if "least" in parameters else {}))

    few = scores()
    monkeypatch.setattr(evidence, "match_words", every)
    monkeypatch.setattr(by_query, "fetch", all_scored)
    for some, theirs in zip(few, scores(), strict=True):
        assert some == pytest.approx(theirs)
    assert all(few)
    connection.close()
