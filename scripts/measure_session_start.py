"""Measure what of the most important is there where a session starts.

    python scripts/measure_session_start.py

Stores of several sizes hold core facts, open goals with a plan each, what the last session wrote, and many other
memories. The table gives how many of the first three a recall without a query returns within 1,500 tokens, now and by
the rule of version 0.2.0: each tier by score, ten memories at most.
"""

import random
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import documents
import typer

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from support.stores import START, YOUNG, planted, write_one

from firmmem.contract import Question
from firmmem.memory.recall.by_score import recall_by_score
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.scope import normalise_question, scope_for
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

DAY = 86_400.0
CORE, GOALS, LAST = 12, 6, 5
LOOSER = ("validated", "draft", "strategic")


def measure(
    sizes: Annotated[str, typer.Option("--sizes", help="Memories in the store, with commas.")] = "10,100,1000,100000",
) -> None:
    """Print the share of core facts, goals and last notes that a session starts with."""
    rows = []
    for size in map(int, sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(db=Path(folder) / "start.db")
            connection = open_connection(settings)
            try:
                wanted = fill(connection, settings, size)
                rows.append((f"{size:,}", *shares(wanted, returned_by_old_rule(connection, settings)),
                             *shares(wanted, returned_now(connection, settings))))  # fmt: skip
            finally:
                connection.close()
    kinds = ("core facts", "goals", "last notes")
    heads = ("memories", *(f"0.2.0: {kind}" for kind in kinds), *(f"now: {kind}" for kind in kinds))
    print(documents.table(heads, rows))


def fill(connection: Connection, settings: Settings, size: int) -> tuple[list[int], list[int], list[int]]:
    """Fill a store, and return the ids of its core facts, of its goals' plans, and of what was written last."""
    core, goals, last = min(CORE, max(2, size // 3)), min(GOALS, max(1, size // 5)), min(LAST, size // 4)
    chance = random.Random(1)  # noqa: S311 - the same store every time
    with transaction(connection):
        facts = [
            write_one(connection, settings, f"Core fact {number} about the user", tier="core", now=START - 90 * DAY).id
            for number in range(core)
        ]
        for _ in range(size - core - goals - last):
            life = replace(
                YOUNG,
                tier=chance.choice(LOOSER),
                trust=chance.choice([0.5, 0.7, 0.8]),
                importance=chance.choice([0.5, 0.9]),
                reviewed_at=START - chance.uniform(1, 80) * DAY,
            )
            planted(connection, life, goal="")
        plans = [
            write_one(
                connection, settings, f"The plan of goal {number}", tier="strategic", goal_id=f"goal {number}",
                now=START - (60 - number) * DAY,
            ).id
            for number in range(goals)
        ]  # fmt: skip
        notes = [
            write_one(connection, settings, f"Last done: step {number}", now=START - DAY / 2 + number).id
            for number in range(last)
        ]
    return facts, plans, notes


def returned_now(connection: Connection, settings: Settings) -> set[int]:
    return {memory.id for memory in find(connection, Question("default"), settings, now=START).memories}


def returned_by_old_rule(connection: Connection, settings: Settings) -> set[int]:
    question = normalise_question(Question("default", limit=10))
    scope, _ = scope_for(connection, question, settings, now=START)
    return {memory.id for memory in recall_by_score(connection, question, scope, settings).memories}


def shares(wanted: Iterable[list[int]], returned: set[int]) -> list[str]:
    return [f"{len(returned & set(ids))} of {len(ids)}" for ids in wanted]


if __name__ == "__main__":
    typer.run(measure)
