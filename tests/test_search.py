"""What is left out of scoring could not have ranked."""

import random
from dataclasses import replace
from typing import Any

import pytest
from stores import START, YOUNG, planted

from firmmem.contract import Question
from firmmem.database import Connection, fetch, open_connection
from firmmem.memory import search
from firmmem.memory.recall import find
from firmmem.settings import Settings

WORDS = ["office", "berlin", "lisbon", "move", "train", "paper", "river", "stone", "green", "quiet"]


def grown(settings: Settings, seed: int) -> Connection:
    """A store of texts with common words, and of every trust, importance and age."""
    connection = open_connection(settings)
    chance = random.Random(seed)  # noqa: S311 - no secret hangs on it
    for number in range(150):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 9))) + f" {number}"
        life = replace(
            YOUNG,
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
    both: list[tuple[list[Any], list[Any]]] = []

    def twice(connection: Connection, name: str, candidate: str = "", /, **parameters: Any) -> list[Any]:
        rows = fetch(connection, name, candidate, **parameters)
        if candidate == "candidate_by_words":
            everything = parameters | {"least_alignment": 0.0, "scored": 10_000}
            both.append((rows, fetch(connection, name, candidate, **everything)))
        return rows

    monkeypatch.setattr(search, "fetch", twice)
    connection = grown(settings, seed)
    for query in ("office", "office berlin", "green quiet stone river", "lisbon 3"):
        for limit in (1, 5, 20):
            for goal in ("", "unknown"):
                question = Question("default", query=query, limit=limit, goal_id=goal, token_budget=20_000)
                find(connection, question, settings, now=START)
    connection.close()
    assert both
    for rows, everything in both:
        assert [row["score"] for row in rows] == pytest.approx([row["score"] for row in everything])
