"""Stores of any size, filled through the product's own statements in large transactions, and kept between runs."""

import hashlib
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from benching import words
from firmmem.contract import Author, NewMemory, Tier
from firmmem.memory.rows.ranking_keys import DAY, Life, save_life
from firmmem.memory.rows.shelves import ensure_goal, ensure_shelf, memory_identity
from firmmem.memory.write.annotate import index_words
from firmmem.memory.write.write import insert_memory
from firmmem.scoring import strengthen
from firmmem.settings import Settings
from firmmem.store.migrate import scripts
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, run, transaction
from firmmem.upkeep import hourly

NAMESPACE = "default"
OTHER_NAMESPACES = ("work", "garden", "travel")
NAMESPACE_WEIGHTS = (85, 8, 5, 2)
TIERS: tuple[Tier, ...] = ("strategic", "validated", "draft")
TIER_WEIGHTS = (10, 60, 30)
CORE_FACTS = 8
ARCHIVED_SHARE = 0.05
GOALS = 40
GOAL_SHARE = 0.3
TAGS = tuple(f"tag{number}" for number in range(100))
DAYS = 400.0  # over which memories were written
DRAFT_DAYS = 14.0  # since when each draft was reviewed: older ones would have been forgotten
CHUNK = 5_000  # memories a transaction
CACHE_KIB = 400_000
SEED = 1885
WRITER = Author("bench", "bench")


@dataclass(frozen=True)
class Made:
    """One made-up memory and what it has lived through."""

    new: NewMemory
    state: str
    written_days_ago: float
    reviewed_days_ago: float
    reviews: int
    consolidation: float
    trust: float


def made(number: int, size: int, text: Callable[[random.Random], str] = words.text) -> Made:
    """Return the memory of a number, from 0; older ones have lower numbers."""
    chance = random.Random(f"{SEED}-{number}")  # noqa: S311 - the same store every time
    core = number < CORE_FACTS
    tier: Tier = "core" if core else chance.choices(TIERS, TIER_WEIGHTS)[0]
    namespace = NAMESPACE if core else chance.choices((NAMESPACE, *OTHER_NAMESPACES), NAMESPACE_WEIGHTS)[0]
    goal = tier == "strategic" or (not core and chance.random() < GOAL_SHARE)
    new = NewMemory(
        text(chance),
        tier,
        namespace,
        goal_id=goal_name(int(GOALS * chance.random() ** 2)) if goal else "",
        tags=tuple(chance.sample(TAGS, k=chance.choices((0, 1, 2, 3), (40, 30, 20, 10))[0])),
        importance=round(chance.betavariate(2, 2), 2),
    )
    age = DAYS * (1 - number / size)
    reviews = 0 if core else min(int(chance.paretovariate(1.3)) - 1, 100)
    since = age * chance.random() ** 2 if reviews else age
    if tier == "draft":
        reviews, since = max(1, reviews), min(since, DRAFT_DAYS * chance.random())
    archived = not core and chance.random() < ARCHIVED_SHARE
    trust = 1.0 if core else round(chance.betavariate(6, 2), 3)
    return Made(new, "archived" if archived else "active", age, since, reviews, chance.betavariate(2, 5), trust)


def words_of(number: int, size: int) -> list[str]:
    """Return the words of a memory, the rarest first; of one in Chinese characters, those of the next in words."""
    return words.rarest(made(number % size, size).new.summary) or words_of(number + 1, size)


def goal_name(number: int) -> str:
    return f"goal {number}"


def filled(folder: Path, size: int, make: Callable[[int, int], Made] = made, name: str = "store") -> Path:
    """Return a store of so many memories in the newest schema; one that was begun is completed."""
    schema = hashlib.sha256("".join(scripts()).encode()).hexdigest()[:8]
    file = folder / f"{name}-{size}-{schema}.db"
    connection = open_connection(settings_of(file))
    try:
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        there = connection.execute("SELECT count(*) FROM memory").fetchone()[0]
        with tqdm(total=size, initial=there, desc=f"fill {size:,}", unit=" memories", mininterval=1) as bar:
            while there < size:
                until = min(size, there + CHUNK)
                with transaction(connection):
                    fill(connection, (make(number, size) for number in range(there, until)), now=time.time())
                bar.update(until - there)
                there = until
        merge(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return file


def merge(connection: Connection) -> None:
    """Merge the search index as upkeep does every hour."""
    run(connection, "merge_from", parts=hourly.PARTS)
    while hourly.merge_pages(connection):
        pass


def settings_of(file: Path) -> Settings:
    """Return the default settings for a file, whatever the environment says."""
    return Settings.model_construct(db=file)


def fill(connection: Connection, memories: Iterable[Made], *, now: float) -> None:
    """Write memories as the product would have, with the lives they have had since."""
    shelves = remembering(lambda namespace, state: ensure_shelf(connection, namespace, state, ""))
    goals = remembering(lambda namespace, name: ensure_goal(connection, namespace, name)["id"] if name else 0)
    for each in memories:
        new = each.new
        memory_id = insert_memory(
            connection,
            new,
            WRITER,
            shelves(new.namespace, each.state),
            goals(new.namespace, new.goal_id),
            memory_identity(new.namespace, new.branch, new.summary),
            index_words(new.summary, new.subject, new.tags),
            doubtful=False,
            now=now - each.written_days_ago * DAY,
        )
        if new.tier != "core":
            save_life(connection, memory_id, life_of(each, now=now))
    for name in range(GOALS):
        run(connection, "goal_open", id=goals(NAMESPACE, goal_name(name)), now=now)


def remembering(look_up: Callable[[str, str], int]) -> Callable[[str, str], int]:
    """Return a look-up that asks once for each pair."""
    known: dict[tuple[str, str], int] = {}

    def asked(first: str, second: str) -> int:
        if (first, second) not in known:
            known[first, second] = look_up(first, second)
        return known[first, second]

    return asked


def life_of(each: Made, *, now: float) -> Life:
    """Return a memory's life: its reviews spread evenly from its writing to the last."""
    between = (each.written_days_ago - each.reviewed_days_ago) / max(1, each.reviews)
    strength = 1.0
    for _ in range(each.reviews):
        strength = strengthen(strength, between)
    consolidation = each.consolidation if each.reviews else 0.0
    at = now - each.reviewed_days_ago * DAY
    return Life(each.new.tier, each.new.importance, each.trust, consolidation, each.reviews, strength, at)


def ids(file: Path, most: int) -> list[int]:
    """Return ids of memories that feedback can be given on."""
    connection = open_connection(settings_of(file), writes=False)
    try:
        shelf = fetch(connection, "shelf", namespace=NAMESPACE, state="active", branch="")[0]["id"]
        statement = "SELECT id FROM memory WHERE shelf = ? AND tier <> 'core' ORDER BY id LIMIT ?"
        return [row["id"] for row in connection.execute(statement, (shelf, most))]
    finally:
        connection.close()


def megabytes(file: Path) -> float:
    return file.stat().st_size / 1e6
