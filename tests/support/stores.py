"""Stores for tests: a clock turned by hand, memories planted at any point of their life, random stores."""

import json
import random
import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace
from typing import Any

from firmmem.contract import Author, NewMemory, Written
from firmmem.memory.rows.ranking_keys import DAY, EPOCH, Life, keys_for_new_row, save_life
from firmmem.memory.rows.shelves import ensure_goal, ensure_shelf, memory_identity
from firmmem.memory.trust.revoke import Refolded, revoke_votes
from firmmem.memory.write.annotate import index_words
from firmmem.memory.write.write import check_memory, store_memory
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch, run
from support.checkout import TESTS

START = EPOCH + 500 * DAY
AUTHOR = Author("a client", "a session")
YOUNG = Life("draft", importance=0.5, trust=0.5, consolidation=0.0, recall_count=0, strength=1.0, reviewed_at=START)


@dataclass
class Clock:
    """Seconds since 1970 UTC, as a test says."""

    now: float = START

    def __call__(self) -> float:
        """Read it, as the server reads the clock."""
        return self.now

    def pass_days(self, days: float) -> float:
        """Turn it, forward or back, and return the new time."""
        self.now += days * DAY
        return self.now


def write_one(connection: Connection, settings: Settings, summary: str, *, now: float = START, **said: Any) -> Written:
    """Write a memory as a tool does, in the transaction that the caller holds, if it holds one."""
    new = NewMemory(summary, **{"tier": "draft", "namespace": "default", **said})
    return store_memory(connection, check_memory(new, settings), AUTHOR, settings, now=now)


def taken_back(connection: Connection, client: str, settings: Settings, **said: Any) -> list[Refolded]:
    """Take back all votes of a client, in the transaction that the caller holds."""
    found: list[Refolded] = []
    while some := revoke_votes(
        connection, client, settings, after=found[-1].id if found else 0, **{"now": START, **said}
    ):
        found += some
    return found


def planted(
    connection: Connection,
    life: Life = YOUNG,
    summary: str = "",
    *,
    namespace: str = "default",
    state: str = "active",
    branch: str = "",
    goal: str = "",
    tags: tuple[str, ...] = (),
    subject: str = "",
    created_at: float | None = None,
) -> int:
    """Put a memory into the file at any point of its life, and return its id."""
    [row] = fetch(connection, "memory_next_id")
    text = summary or f"memory number {row['id']}"
    if life.tier == "core":
        life = replace(life, trust=1.0)
    words = index_words(text, subject, tags)
    run(
        connection,
        "memory_insert",
        id=row["id"],
        shelf=ensure_shelf(connection, namespace, state, branch),
        tier=life.tier,
        goal=ensure_goal(connection, namespace, goal)["id"] if goal else 0,
        subject=subject,
        summary=text,
        tags=json.dumps(tags),
        identity=memory_identity(namespace, branch, text),
        source="a client",
        suspect=0,
        importance=life.importance,
        trust=life.trust,
        strength=life.strength,
        supersedes="[]",
        words=words.words,
        repeated=words.repeated,
        length=words.length,
        session=None,
        now=life.reviewed_at if created_at is None else created_at,
        **keys_for_new_row(connection, life),
    )
    if life.tier != "core":
        save_life(connection, row["id"], life)
    return int(row["id"])


def random_life(chance: random.Random, now: float, *, coarse: bool) -> Life:
    """Return a life such as memories have after anything from a second to twenty years, many of them equal."""

    def some(value: float, step: float) -> float:
        return round(value / step) * step if coarse else value

    recall_count = chance.choice([0, 0, 0, 1, 2, 5, min(5000, int(chance.paretovariate(0.7)))])
    consolidation = min(1.0, some(chance.random(), 0.25)) if recall_count else 0.0
    age = chance.choice([0.0, 1.0, some(chance.expovariate(1 / 60), 10.0), chance.uniform(0, 7300)])
    ahead = chance.random() < 0.1  # written before the clock was set back
    return Life(
        chance.choice(["core", "strategic", "validated", "draft", "draft"]),
        importance=chance.choice([0.0, 0.5, 0.5, some(chance.random(), 0.25)]),
        trust=chance.choice([0.0, 0.5, 0.5, 0.7, 0.8, some(chance.random(), 0.25)]),
        consolidation=consolidation,
        recall_count=recall_count,
        strength=chance.choice([1.0, 1.0, 1 + some(chance.random() * 4, 0.5)]),
        reviewed_at=now + (age if ahead else -age) * DAY,
    )


def in_another_process(script: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python text in a process of its own, which must end within a minute."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=TESTS,
        **options,
    )
