"""Ranking keys: they follow the settings chunk by chunk, and until they do nothing is ranked by them."""

import math
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stores import START, YOUNG, in_another_process, planted, random_life, write_one

from firmmem import scoring
from firmmem.contract import TIERS, Question
from firmmem.memory.recall.by_score import choose_candidates
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.scope import scope_for
from firmmem.memory.rows import chunks
from firmmem.memory.rows.ranking_keys import (
    CHUNK,
    DAY,
    EPOCH,
    Keying,
    Life,
    begin_rekey,
    compute_keys,
    keys_are_current,
    rekey_chunk,
    stored_keying,
    wanted_keying,
)
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, transaction
from firmmem.upkeep.rekey import bring_keys_up_to_date

lives = st.builds(
    Life,
    tier=st.sampled_from(TIERS[1:]),
    importance=st.floats(0, 1),
    trust=st.floats(0, 1),
    consolidation=st.floats(0, 1),
    recall_count=st.integers(0, 5000),
    strength=st.floats(0, 100),
    reviewed_at=st.floats(EPOCH - 3650 * DAY, EPOCH + 7300 * DAY),
)
keyings = st.builds(
    Keying,
    draft=st.floats(0.01, 1e6),
    validated=st.floats(0.01, 1e6),
    strategic=st.floats(0.01, 1e6),
    consolidation_base=st.floats(0, 100),
)


@given(lives, keyings, st.floats(0, 7300))
def test_a_rank_key_is_at_no_moment_below_the_score(life: Life, keying: Keying, days: float) -> None:
    row = compute_keys(life, keying)
    left = scoring.decay(days, row["half_life"])
    score = scoring.final_score(scoring.rfm(left, life.strength, life.importance), life.trust, 1.0, 1.0, 1.0)
    day = (life.reviewed_at - EPOCH) / DAY + days
    if score > scoring.SMALLEST:
        bound = row["rank_key"] - row["slope"] * day
        assert bound >= math.log(score) - 1e-9 - 1e-12 * abs(row["slope"] * day)


@given(lives, keyings)
def test_a_streams_slope_is_the_smallest_in_it(life: Life, keying: Keying) -> None:
    row = compute_keys(life, keying)
    assert row["slope"] <= (1 + 1e-12) / row["half_life"]
    assert row["stream"] // 1000 == TIERS.index(life.tier)
    if row["stream"] % 1000:
        assert row["slope"] == 2.0 ** -(row["stream"] % 1000 - 500 + 1)
        assert row["slope"] >= 0.5 / row["half_life"]


def test_core_has_a_stream_of_its_own_in_which_all_are_equal() -> None:
    keying = Keying(7, 60, 365, 0.5)
    ancient = compute_keys(replace(YOUNG, tier="core", reviewed_at=0.0), keying)
    assert ancient == compute_keys(replace(YOUNG, tier="core"), keying)
    assert (ancient["stream"], ancient["slope"], ancient["half_life"]) == (999, 0.0, float("inf"))


# When the settings change


@pytest.fixture
def slower(settings: Settings) -> Settings:
    """Settings by which everything fades at another pace."""
    return settings.model_copy(update={"draft_half_life": 30.0, "validated_half_life": 10.0, "consolidation_base": 2.0})


@pytest.fixture
def filled(connection: Connection) -> Connection:
    """A store of more than two chunks."""
    chance = random.Random(3)  # noqa: S311
    with transaction(connection):
        for _ in range(2 * CHUNK + 50):
            planted(connection, random_life(chance, START, coarse=False))
    return connection


def best(connection: Connection, settings: Settings) -> list[tuple[int, float]]:
    """Return ids and scores of what matters now, by these settings."""
    question = Question("default", limit=40, token_budget=20_000, tiers=TIERS[1:])
    memories = find(in_other_hands(connection, settings), question, settings, now=START + DAY).memories
    return [(memory.id, round(memory.score, 9)) for memory in memories]


def in_other_hands(connection: Connection, settings: Settings) -> Connection:
    """Open the same file with other settings: its SQL functions follow them."""
    OPEN.append(open_connection(settings, writes=False))
    return OPEN[-1]


OPEN: list[Connection] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def ways(connection: Connection, settings: Settings) -> str:
    question = Question("default")
    return choose_candidates(connection, question, scope_for(connection, question, settings, now=START)[0], settings)


def test_a_change_of_half_lives_ranks_without_keys_until_all_are_computed_anew(
    filled: Connection, settings: Settings, slower: Settings
) -> None:
    assert ways(filled, settings) == "candidate_by_stream"
    assert ways(filled, slower) == "candidate_by_shelf"
    before = best(filled, slower)
    assert best(filled, settings) != before
    with transaction(filled):
        assert begin_rekey(filled, slower)
    transactions = 0
    more = True
    while more:
        assert ways(filled, slower) == ways(filled, settings) == "candidate_by_shelf"
        assert best(filled, slower) == before
        with transaction(filled):
            changed = filled.total_changes
            more = rekey_chunk(filled, slower)
            transactions += 1
            assert filled.total_changes - changed <= 2 * CHUNK + 2  # a stream each, at most, and the row itself
    assert transactions >= 3
    assert ways(filled, slower) == "candidate_by_stream"
    assert ways(filled, settings) == "candidate_by_shelf"
    assert best(filled, slower) == before


def right(connection: Connection) -> bool:
    """Say whether every key is what the file's keying makes of its row."""
    keying, complete = stored_keying(connection)
    rows = connection.execute("SELECT memory.*, slope FROM memory JOIN stream ON stream.id = stream").fetchall()
    made = [(row, compute_keys(Life.of(row), keying)) for row in rows]
    return complete and all({name: row[name] for name in values} == values for row, values in made)


def finish(connection: Connection, settings: Settings) -> None:
    while True:
        with transaction(connection):
            if not rekey_chunk(connection, settings):
                return


def test_what_is_written_meanwhile_has_the_new_keys(filled: Connection, settings: Settings, slower: Settings) -> None:
    with transaction(filled):
        begin_rekey(filled, slower)
        rekey_chunk(filled, slower)
        write_one(filled, settings, "Written by a process that has the old settings")
        planted(filled, replace(YOUNG, consolidation=0.5, recall_count=3))
    finish(filled, slower)
    assert right(filled)
    assert keys_are_current(filled, slower)


@pytest.mark.parametrize("count", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_every_number_of_rows_comes_to_an_end(connection: Connection, slower: Settings, count: int) -> None:
    with transaction(connection):
        for _ in range(count):
            planted(connection)
        begin_rekey(connection, slower)
    finish(connection, slower)
    assert right(connection)


def test_two_processes_with_different_settings_leave_right_keys_whoever_comes_last(
    filled: Connection, settings: Settings, slower: Settings
) -> None:
    turns: list[tuple[Callable[[Connection, Settings], bool], Settings]] = [
        (begin_rekey, slower),
        (rekey_chunk, slower),
        (begin_rekey, settings),
        (rekey_chunk, slower),  # the first one finds that another has taken over, and stops
        (rekey_chunk, settings),
        (begin_rekey, slower),
        (begin_rekey, slower),
    ]
    results = []
    for turn, its in turns:
        with transaction(filled):
            results.append(turn(filled, its))
    assert results == [True, True, True, False, True, True, True]
    finish(filled, settings)
    assert not keys_are_current(filled, slower)
    finish(filled, slower)
    assert right(filled)
    assert stored_keying(filled)[0] == wanted_keying(slower)


def test_two_processes_rekey_at_once_and_the_file_ends_with_the_keys_of_one(
    filled: Connection, settings: Settings
) -> None:
    script = """
        import sys
        from pathlib import Path
        import anyio
        from firmmem.store.database import open_database
        from firmmem.settings import Settings
        from firmmem.upkeep.rekey import bring_keys_up_to_date
        async def main():
            async with open_database(Settings(db=Path(sys.argv[1]), draft_half_life=float(sys.argv[2]))) as database:
                await bring_keys_up_to_date(database)
        anyio.run(main)
    """
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda days: in_another_process(script, settings.db, days), [3.0, 11.0]))
    assert [each.stderr for each in done] == ["", ""]
    assert right(filled)
    assert stored_keying(filled)[0].draft in (3.0, 11.0)


def test_others_write_while_keys_are_computed_anew(
    connection: Connection, slower: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(connection):
        for _ in range(3):
            planted(connection)
        begin_rekey(connection, slower)
    monkeypatch.setattr(chunks, "LONGEST", -1.0)  # a moment that has passed already
    more, pending = True, []
    while more:
        with transaction(connection):
            more = rekey_chunk(connection, slower)
        pending.append(fetch(connection, "keying")[0]["pending_from"])
    assert pending == [2, 3, None]
    assert right(connection)


async def test_upkeep_brings_the_keys_to_the_settings_of_the_process(
    filled: Connection, database: Database, slower: Settings
) -> None:
    await bring_keys_up_to_date(replace(database, settings=slower))
    assert right(filled)
    assert stored_keying(filled)[0] == wanted_keying(slower)
    await bring_keys_up_to_date(replace(database, settings=slower))
    assert fetch(filled, "keying")[0]["pending_from"] is None


async def test_keys_that_are_right_are_left_alone_without_the_write_lock(
    filled: Connection, database: Database, slower: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    await bring_keys_up_to_date(replace(database, settings=slower))
    with transaction(filled), anyio.fail_after(5):  # half of what a writer waits for the lock
        await bring_keys_up_to_date(replace(database, settings=slower))
    assert caplog.text == ""


def test_a_new_file_has_the_keying_of_who_made_it_and_keeps_it(settings: Settings, slower: Settings) -> None:
    first = open_connection(slower)
    second = open_connection(settings)
    assert stored_keying(second)[0] == wanted_keying(slower)
    first.close()
    second.close()
