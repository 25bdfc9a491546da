"""Random stores and recalls without a query, ranked in two ways: by streams, and by looking at every memory."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmmem.contract import TIERS, Question, Tier
from firmmem.memory.recall import by_score
from firmmem.memory.recall.scope import Scope, scope_for
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, transaction
from support.stores import START, planted, random_life

TAGS = ("red", "green", "blue", "rare")
GOALS = ("", "", "", "ship it", "stay well", "elsewhere")
BRANCHES = ("", "", "", "idea")
STATES = ("active", "active", "active", "active", "archived", "superseded", "quarantined")
SMALL = 1e-290  # below every score that is not 0 in twenty years of half-lives of a day


@dataclass(frozen=True)
class Mismatch:
    """A recall that the two ways answered differently."""

    seed: int
    candidate: str
    question: Question
    tier: Tier
    days: float
    found: list[tuple[int, float]]
    expected: list[tuple[int, float]]


def random_settings(chance: random.Random, path: Path) -> Settings:
    """Return the settings of one file: its half-lives, and what other goals' memories are worth."""
    return Settings(
        db=path,
        draft_half_life=chance.choice([7.0, 7.0, 1.0, 8.0, 100.0]),
        validated_half_life=chance.choice([60.0, 64.0, 3.3]),
        strategic_half_life=chance.choice([365.0, 1.0, 5000.0]),
        consolidation_base=chance.choice([0.5, 0.5, 0.0, 10.0]),
        other_goal=chance.choice([0.6, 0.6, 0.0, 0.01, 1.0]),
    )


def fill(connection: Connection, chance: random.Random, namespace: str) -> None:
    """Put a random store into a namespace: from nothing to some hundred memories, some of them all alike."""
    coarse = chance.random() < 0.5
    burst = [random_life(chance, START, coarse=True) for _ in range(2)]
    size = chance.choice([0, 1, 3, 10, 40, 120])
    for _ in range(size):
        life = chance.choice(burst) if chance.random() < 0.3 else random_life(chance, START, coarse=coarse)
        branch = chance.choice(BRANCHES)
        planted(
            connection,
            life,
            namespace=namespace,
            state=chance.choice(STATES),
            branch=branch,
            goal="" if life.tier == "core" else chance.choice(GOALS),
            tags=tuple(chance.sample(TAGS[:3], chance.choice([0, 0, 1, 2]))) + TAGS[3:] * (chance.random() < 0.05),
            created_at=life.reviewed_at - chance.choice([0.0, 0.0, chance.uniform(0, 400)]) * DAY,
        )


def random_question(chance: random.Random, namespace: str) -> Question:
    """Return a recall without a query, with any of its filters."""
    since, until = float("-inf"), float("inf")
    if chance.random() < 0.25:
        since = START - chance.choice([1.0, 30.0, 300.0, 3000.0]) * DAY
    if chance.random() < 0.25:
        until = START - chance.choice([-1.0, 0.0, 10.0, 1000.0]) * DAY
    return Question(
        namespace,
        goal_id=chance.choice(["", "", "ship it", "stay well", "elsewhere", "never named"]),
        tags=tuple(chance.sample(TAGS, chance.choice([0, 0, 0, 1, 2]))),
        tiers=tuple(tier for tier in TIERS if chance.random() < 0.7) or TIERS,
        limit=chance.choice([1, 2, 3, 5, 10, 20, 100]),
        since=since,
        until=until,
        branch=chance.choice(["", "", "idea", "nowhere"]),
        include_archived=chance.random() < 0.3,
    )


def mismatches(
    connection: Connection, settings: Settings, chance: random.Random, seed: int, namespace: str, queries: int
) -> Iterator[Mismatch]:
    """Ask a store random questions at random moments, and yield those that the two ways answer differently."""
    for _ in range(queries):
        question = random_question(chance, namespace)
        days = chance.choice([0.0, -400.0, -1.0, 1e-5, 1.0, 30.0, 365.0, 3650.0, 7300.0])
        scope, _ = scope_for(connection, question, settings, now=START + days * DAY)
        for tier in question.tiers:
            candidate = by_score.choose_candidates(connection, question, scope, settings)
            found = by_score.top_of_tier(connection, question, scope, tier, question.limit, settings)
            expected = fetch(
                connection,
                "recall",
                "candidate_by_shelf",
                **scope.parameters | {"tiers": json.dumps([tier]), "limit": question.limit, "prior_strength": 1.0},
            )
            if not equal(connection, found, expected, scope, tier):
                yield Mismatch(seed, candidate, question, tier, days, scores(found), scores(expected))


def scores(rows: list[Any]) -> list[tuple[int, float]]:
    return [(row["id"], row["score"]) for row in rows]


def equal(connection: Connection, found: list[Any], expected: list[Any], scope: Scope, tier: Tier) -> bool:
    """Say whether two rankings agree: in every score, and in every memory whose score is no other's."""
    if len(found) != len(expected) or len({row["id"] for row in found}) != len(found):
        return False
    for mine, theirs in zip(found, expected, strict=True):
        if abs(mine["score"] - theirs["score"]) > 1e-8 * max(mine["score"], theirs["score"]) + SMALL:
            return False
    if not expected:
        return True
    alike = fetch(
        connection,
        "recall",
        "candidate_by_shelf",
        **scope.parameters | {"tiers": json.dumps([tier]), "limit": 10_000, "prior_strength": 1.0},
    )
    every = [row["score"] for row in alike]
    for mine, theirs in zip(found, expected, strict=True):
        near = sum(abs(score - theirs["score"]) <= 1e-8 * theirs["score"] + SMALL for score in every)
        if near == 1 and mine["id"] != theirs["id"]:
            return False
    return True


def checked_stores(folder: Path, seeds: range, queries: int) -> Iterator[tuple[int, list[Mismatch]]]:
    """Fill a store a seed, ask it, and yield the number of recalls compared and the mismatches.

    Ten stores lie in one file, as namespaces of it.
    """
    for first in range(seeds.start, seeds.stop, 10):
        chance = random.Random(first)  # noqa: S311  (repeatable, no secret)
        settings = random_settings(chance, folder / f"{first}.db")
        connection = open_connection(settings)
        try:
            for seed in range(first, min(first + 10, seeds.stop)):
                with transaction(connection):
                    fill(connection, chance, f"store {seed}")
                if chance.random() < 0.3:
                    connection.execute("ANALYZE")
                yield queries, list(mismatches(connection, settings, chance, seed, f"store {seed}", queries))
        finally:
            connection.close()
        for path in folder.glob(f"{first}.db*"):
            path.unlink()
