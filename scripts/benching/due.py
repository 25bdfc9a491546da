"""What a store is given so that each job of upkeep has work, by the product's own functions where it has them."""

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from benching import store
from firmmem.contract import Author
from firmmem.memory.rows.ranking_keys import DAY, Life, save_life
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.memory.trust.votes import add_vote
from firmmem.settings import Settings
from firmmem.store.database import open_database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, run, transaction
from firmmem.upkeep.rekey import bring_keys_up_to_date
from firmmem.upkeep.schedule import JOBS

NOTHING = "no upkeep"
GRACE = 30.0  # days in the archive before what was forgotten is purged
LONG_AGO = 60.0  # days since which drafts were not used, or are forgotten
CHUNK = 2_000  # memories a transaction
LIAR = "liar"  # the client whose votes are taken back
SESSIONS = 3  # of it that vote on each memory
WRONG = 0.05  # trust of what is wrong
WRONG_SHARE = 0.25  # of what is given to other jobs: more would not be outliers
HOURS = 400 * 24  # of statistics that were never thinned
RUNS = 10_000  # that can't be taken back any more
SLOWER = {"draft_half_life": 9.0, "validated_half_life": 70.0, "strategic_half_life": 300.0}


def settings_of(file: Path, *, slower: bool = False) -> Settings:
    """Return the settings that upkeep runs with, or those with other half-lives."""
    return store.settings_of(file).model_copy(update={"purge_after_days": GRACE, **(SLOWER if slower else {})})


def give(file: Path, name: str, count: int) -> None:
    """Give a job about so many memories to change; every job seems to have run just now, so that no server begins it.

    The copy of the store that is left by a run which was stopped can be given work again.
    """
    anyio.run(settle, file)
    connection = open_connection(settings_of(file))
    try:
        connection.execute(f"PRAGMA cache_size = -{store.CACHE_KIB}")
        if name in GIVEN:
            GIVEN[name](connection, count)
        with transaction(connection):
            connection.execute("DELETE FROM job")
            rows = [(job.name, time.time()) for job in JOBS]
            connection.executemany("INSERT INTO job (name, last_run) VALUES (?, ?)", rows)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


async def settle(file: Path) -> None:
    """Bring the keys of a file to the half-lives that its clients have."""
    async with open_database(settings_of(file)) as database:
        await bring_keys_up_to_date(database)


def faded(connection: Connection, count: int) -> None:
    """Let drafts have faded long ago."""
    at = time.time() - LONG_AGO * DAY

    def fade(row: Any) -> None:
        save_life(connection, row["id"], replace(Life.of(row), consolidation=0.0, recall_count=0, reviewed_at=at))

    each(connection, spread(connection, "draft", count), fade)


def in_parts(connection: Connection, _: int) -> None:
    """Let the search index lie in as many parts as where it was built anew."""
    connection.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")


def forgotten(connection: Connection, count: int) -> None:
    """Let drafts have been forgotten long ago, and let there be records and runs to thin out."""
    at = time.time() - LONG_AGO * DAY

    def forget(row: Any) -> None:
        shelf = ensure_shelf(connection, row["namespace"], "archived", "")
        move_to_shelf(connection, row, shelf, now=at, cause="forgotten")

    each(connection, spread(connection, "draft", count), forget)
    with transaction(connection):
        records(connection)
        for number in range(RUNS):
            then = time.time() - (400 - 300 * number / RUNS) * DAY
            [begun] = fetch(connection, "run_begin", job="tiers", now=then)
            run(connection, "run_end", id=begun["id"], done=1, result="1 promoted", failed=0, now=then)


def records(connection: Connection) -> None:
    """Record each tier of each namespace, hour by hour, as if nothing had thinned that out."""
    figures = {"memories": 100, "trust_mean": 0.7, "trust_deviation": 0.1, "rfm_mean": 0.1, "rfm_deviation": 0.1}
    now = time.time()
    for namespace in (store.NAMESPACE, *store.OTHER_NAMESPACES):
        for tier in store.TIERS:
            for hour in range(HOURS):
                at = now - hour * 3600.0
                run(connection, "statistic_insert", namespace=namespace, tier=tier, now=at, **figures)


def wrong(connection: Connection, count: int) -> None:
    """Let a few validated memories be little trusted, by the votes of one client in several sessions."""
    settings = Settings.model_construct()

    def doubt(row: Any) -> None:
        life = Life.of(row)
        for session in range(SESSIONS):
            life = add_vote(
                connection, row, life, "negative", Author(LIAR, f"{LIAR} {session}"), settings, now=time.time()
            )
        save_life(connection, row["id"], replace(life, trust=WRONG))

    each(connection, spread(connection, "validated", round(count * WRONG_SHARE)), doubt)


def spread(connection: Connection, tier: str, count: int) -> list[int]:
    """Return ids of memories in use that nothing has moved, from all over the store and in no order.

    So each lies on pages of its own, which is the worst there is.
    """
    found = connection.execute(
        "SELECT memory.id FROM memory CROSS JOIN shelf ON shelf.id = memory.shelf "
        "WHERE tier = ? AND state = 'active' AND branch = '' AND trust > ? "
        "AND NOT EXISTS (SELECT 1 FROM move WHERE move.memory = memory.id) ORDER BY memory.id",
        (tier, WRONG),
    )
    ids = [row["id"] for row in found]
    return random.Random(store.SEED).sample(ids, min(count, len(ids)))  # noqa: S311 - the same memories every time


def each(connection: Connection, ids: list[int], change: Callable[[Any], None]) -> None:
    """Change memories one by one, many a transaction."""
    for start in range(0, len(ids), CHUNK):
        with transaction(connection):
            wanted = json.dumps(ids[start : start + CHUNK])
            for row in fetch(connection, "anomaly_suspects", ids=wanted):
                change(row)


GIVEN: dict[str, Callable[[Connection, int], None]] = {
    "forget": faded,
    "merge": in_parts,
    "anomalies": wrong,
    "purge": forgotten,
}
