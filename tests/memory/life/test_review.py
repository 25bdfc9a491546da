"""Reviews: a recall counts once the memory had faded, so that being shown is not what makes a memory show."""

from dataclasses import replace
from typing import Any

import anyio
import pytest
from support.stores import START, YOUNG, Clock, planted, write_one

from firmmem import scoring
from firmmem.contract import Question, Recalled, Tier
from firmmem.errors import BusyFileError, ReadOnlyFileError
from firmmem.memory.life.review import LOGGED, Reviews, earned_half_life, fold_reviews, review
from firmmem.memory.recall.recall import recall
from firmmem.memory.rows.ranking_keys import DAY, Life
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch, transaction

FACTS = ("The office is in Lisbon", "The office has a garden", "Lunch is at noon")


async def store(database: Database, clock: Clock) -> None:
    for fact in FACTS:
        await database.write(write_one, database.settings, fact, now=clock.now)


async def ask(reviews: Reviews, clock: Clock, query: str = "where is the office", **asked: Any) -> Recalled:
    """Recall as the server does: after the reviews of earlier recalls, and noting this one."""
    question = Question("default", query=query, **asked)
    await reviews.fold()
    result = await recall(reviews.database, question, now=clock.now)
    reviews.note(question, result, now=clock.now)
    return result


async def row(database: Database, memory_id: int = 1) -> Any:
    [found] = await database.read(fetch, "memory_by_id", ids=f"[{memory_id}]", namespace="default")
    return found


async def exposures(database: Database) -> dict[int, int]:
    rows = await database.read(lambda connection: connection.execute("SELECT memory, times FROM exposure").fetchall())
    return {each["memory"]: each["times"] for each in rows}


# What counts


async def test_a_recall_of_a_fresh_memory_is_no_review(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    await ask(reviews, clock)
    await reviews.flush()
    assert (await row(database))["recall_count"] == 0


async def test_a_recall_of_a_faded_memory_is_a_review_and_restarts_the_curve(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    clock.pass_days(5)
    first = (await ask(reviews, clock)).memories[0]
    await reviews.fold()
    after = await row(database)
    left = scoring.decay(5, 7)
    assert (after["recall_count"], after["reviewed_at"]) == (1, clock.now)
    assert after["consolidation"] == pytest.approx(scoring.CONSOLIDATION_GAIN * (1 - left))
    assert after["strength"] == pytest.approx(scoring.strengthen(1, 5 - scoring.fading_days(7, 0.9)))
    assert (await ask(reviews, clock)).memories[0].score > first.score


async def test_the_same_recall_a_thousand_times_changes_nothing_after_the_first(
    database: Database, clock: Clock
) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    clock.pass_days(20)
    await ask(reviews, clock)
    second = await ask(reviews, clock)
    stored = [tuple(await row(database, number)) for number in (1, 2, 3)]
    for _ in range(1000):
        again = await ask(reviews, clock)
        assert [(memory.id, memory.score) for memory in again.memories] == [
            (memory.id, memory.score) for memory in second.memories
        ]
    await reviews.flush()
    assert [tuple(await row(database, number)) for number in (1, 2, 3)] == stored
    assert (await exposures(database))[1] == 1002


def test_the_nearer_to_forgotten_the_more_a_review_consolidates(settings: Settings) -> None:
    gains = []
    for days in (0.5, 1, 3, 10, 40):
        after = review(YOUNG, settings, at=START + days * DAY)
        gains.append(0.0 if after is None else after.consolidation)
    assert gains == sorted(gains)
    assert gains[0] == 0  # still above the gate
    assert len(set(gains[1:])) == 4


def test_spaced_reviews_hold_longer_than_crammed_ones(settings: Settings) -> None:
    def half_life(days_apart: float) -> float:
        life = YOUNG
        for number in range(1, 6):
            life = review(life, settings, at=START + number * days_apart * DAY) or life
        return scoring.effective_half_life(7, life.consolidation, life.recall_count, 0.5)

    assert half_life(0.1) == 7
    assert 7 < half_life(1) < half_life(4) < half_life(12)


async def test_only_what_was_asked_for_and_is_relevant_is_reviewed(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    clock.pass_days(20)
    await ask(reviews, clock, query="")  # the start of a session
    await ask(reviews, clock, query="", goal_id="a goal")
    await reviews.fold()
    assert [(await row(database, number))["recall_count"] for number in (1, 2, 3)] == [0, 0, 0]
    result = await ask(reviews, clock, query="office in Lisbon")
    await reviews.fold()
    relevant = {memory.id for memory in result.memories if memory.relevance >= 0.5}
    counts = {number: (await row(database, number))["recall_count"] for number in (1, 2, 3)}
    assert counts == {number: int(number in relevant) for number in (1, 2, 3)}
    assert counts[1] == 1


async def test_core_and_archived_memories_are_never_reviewed(database: Database, clock: Clock) -> None:
    await database.write(write_one, database.settings, "The user lives in Lisbon", tier="core", now=clock.now)
    await database.write(planted, replace(YOUNG, reviewed_at=clock.now), "An old office in Lisbon", state="archived")
    reviews = Reviews(database)
    clock.pass_days(200)
    result = await ask(reviews, clock, query="Lisbon", include_archived=True)
    await reviews.flush()
    assert {memory.id for memory in result.memories} == {1, 2}
    assert [(await row(database, number))["recall_count"] for number in (1, 2)] == [0, 0]


async def test_what_was_shown_is_counted_apart(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    for _ in range(3):
        await ask(reviews, clock, query="")
    await ask(reviews, clock, query="lunch at noon")
    assert await exposures(database) == {}
    await reviews.flush()
    assert await exposures(database) == {1: 3, 2: 3, 3: 4}
    await ask(reviews, clock, query="lunch at noon")
    await reviews.flush()
    assert (await exposures(database))[3] == 5


@pytest.mark.parametrize("tier", ["draft", "validated", "strategic"])
def test_what_is_recalled_whenever_it_can_be_does_not_weaken_however_slowly_it_fades(
    settings: Settings, tier: Tier
) -> None:
    life = replace(YOUNG, tier=tier)
    for count in range(1, 5):
        opens = scoring.fading_days(earned_half_life(life, settings), scoring.REVIEW_GATE) * (1 + 1e-9)
        life = review(life, settings, at=life.reviewed_at + opens * DAY) or life
        assert (life.recall_count, life.strength) == (count, pytest.approx(count + 1))


# The queue


async def test_of_two_recalls_at_once_only_one_counts(database: Database, clock: Clock) -> None:
    await store(database, clock)
    clock.pass_days(20)
    here, there = Reviews(database), Reviews(database)
    question = Question("default", query="office in Lisbon")
    result = await recall(database, question, now=clock.now)
    here.note(question, result, now=clock.now)
    there.note(question, result, now=clock.now)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(here.fold)
        tasks.start_soon(there.fold)
    assert (await row(database))["recall_count"] == 1


async def test_reviews_are_folded_in_their_order_each_at_its_own_time(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    question = Question("default", query="office in Lisbon")
    expected = replace(YOUNG, reviewed_at=clock.now)
    for _ in range(4):
        clock.pass_days(9)
        reviews.note(question, await recall(database, question, now=clock.now), now=clock.now)
        expected = review(expected, database.settings, at=clock.now) or expected
    await reviews.fold()
    assert Life.of(await row(database)) == expected
    assert expected.recall_count == 4


class Gate:
    """A database whose writes wait until a test lets them through, or fail as it says."""

    def __init__(self, database: Database) -> None:
        self.database, self.settings = database, database.settings
        self.open, self.entered = anyio.Event(), anyio.Event()
        self.failure: Exception | None = None

    async def write(self, *args: Any, **kwargs: Any) -> Any:
        self.entered.set()
        await self.open.wait()
        if self.failure:
            raise self.failure
        return await self.database.write(*args, **kwargs)


async def faded(database: Database, clock: Clock) -> tuple[Question, Recalled, Recalled]:
    """Store facts, let them fade, and return a question, what it finds, and what another finds."""
    await store(database, clock)
    clock.pass_days(20)
    question = Question("default", query="office in Lisbon")
    other = await recall(database, replace(question, query="lunch at noon"), now=clock.now)
    return question, await recall(database, question, now=clock.now), other


async def test_a_review_noted_while_others_are_being_folded_is_not_lost(database: Database, clock: Clock) -> None:
    question, first, second = await faded(database, clock)
    gate = Gate(database)
    reviews = Reviews(gate)  # type: ignore[arg-type]
    reviews.note(question, first, now=clock.now)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reviews.fold)
        tasks.start_soon(reviews.flush)  # at the same time, as the server does
        await gate.entered.wait()
        reviews.note(question, second, now=clock.now)
        gate.open.set()
    await reviews.fold()
    assert [(await row(database, number))["recall_count"] for number in (1, 3)] == [1, 1]


async def test_what_is_shown_while_exposures_are_being_written_is_counted_too(database: Database, clock: Clock) -> None:
    question, first, _ = await faded(database, clock)
    gate = Gate(database)
    gate.failure = BusyFileError("busy")
    reviews = Reviews(gate)  # type: ignore[arg-type]
    shown = replace(question, query="")
    reviews.note(shown, first, now=clock.now)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reviews.flush)
        await gate.entered.wait()
        reviews.note(shown, first, now=clock.now)
        gate.open.set()
    gate.failure = None
    await reviews.flush()
    assert (await exposures(database))[1] == 2


async def test_a_recall_waits_for_the_reviews_of_the_one_before_though_more_come(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmmem.memory.life.review.PATIENCE", float("inf"))
    question, first, second = await faded(database, clock)
    gate = Gate(database)
    reviews = Reviews(gate)  # type: ignore[arg-type]
    reviews.note(question, first, now=clock.now)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reviews.settled)
            await anyio.lowlevel.checkpoint()
            reviews.note(question, second, now=clock.now)
            gate.open.set()
            await reviews.fold()
    assert reviews._due == []


async def test_the_queue_survives_a_busy_file(
    settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmmem.store.statements.BUSY_SECONDS", 0.01)
    other = open_connection(settings)
    async with open_database(settings) as database:
        question, first, _ = await faded(database, clock)
        reviews = Reviews(database)
        reviews.note(question, first, now=clock.now)
        with transaction(other):
            await reviews.flush()
        assert (await row(database))["recall_count"] == 0
        await reviews.flush()
        assert (await row(database))["recall_count"] == 1
        assert (await exposures(database))[1] == 1
    other.close()


async def test_nothing_queues_for_a_file_that_can_only_be_read(database: Database, clock: Clock) -> None:
    question, first, _ = await faded(database, clock)
    gate = Gate(database)
    gate.failure = ReadOnlyFileError("read only")
    gate.open.set()
    reviews = Reviews(gate)  # type: ignore[arg-type]
    reviews.note(question, first, now=clock.now)
    await reviews.fold()
    assert reviews._due == []
    with anyio.fail_after(5):
        await reviews.settled()


async def test_a_fold_that_is_cancelled_half_way_counts_once(database: Database, clock: Clock) -> None:
    question, first, _ = await faded(database, clock)
    reviews = Reviews(database)
    reviews.note(question, first, now=clock.now)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reviews.fold)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    await reviews.flush()
    assert (await row(database))["recall_count"] == 1


async def test_reviews_are_folded_as_they_come_while_the_server_runs(database: Database, clock: Clock) -> None:
    question, first, second = await faded(database, clock)
    reviews = Reviews(database)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reviews.keep_folding)
        for result in (first, second):
            reviews.note(question, result, now=clock.now)
            with anyio.fail_after(5):
                await reviews._folded.wait()
        tasks.cancel_scope.cancel()
    assert [(await row(database, number))["recall_count"] for number in (1, 3)] == [1, 1]


# Clocks that step


@pytest.mark.parametrize("step", [-1 / 24, 3650.0, -3650.0])
async def test_a_clock_that_steps_and_comes_back_archives_nothing_and_keeps_scores_within_0_and_1(
    database: Database, clock: Clock, connection: Connection, step: float
) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    clock.pass_days(3)
    before = await row(database)
    clock.pass_days(step)
    for each in (await ask(reviews, clock)).memories:
        assert 0 <= each.score <= 1
    await reviews.flush()
    clock.pass_days(-step)
    for each in (await ask(reviews, clock)).memories:
        assert 0 <= each.score <= 1
    await reviews.flush()
    after = await row(database)
    assert after["trust"] == before["trust"]
    assert after["state"] == "active"
    assert 0 <= after["consolidation"] <= 1
    assert connection.execute("SELECT count(*) FROM memory").fetchone()[0] == 3


def test_a_clock_set_back_reviews_nothing(settings: Settings) -> None:
    assert review(YOUNG, settings, at=START - DAY / 24) is None
    assert review(YOUNG, settings, at=START - 3650 * DAY) is None


# The log


async def test_each_review_is_logged_with_what_was_left(database: Database, clock: Clock) -> None:
    await store(database, clock)
    reviews = Reviews(database)
    for days in (5, 0, 6, 0.01):
        clock.pass_days(days)
        await ask(reviews, clock)
        await reviews.flush()
    logged = [tuple(each) for each in await database.read(fetch, "reviews", memory=1)]
    first = scoring.decay(5, 7.0)
    once = scoring.consolidate(0.0, first)
    second = scoring.decay(6, scoring.effective_half_life(7.0, once, 1, 0.5))
    assert logged == [
        (START + 5 * DAY, pytest.approx(first), pytest.approx(once)),
        (START + 11 * DAY, pytest.approx(second), pytest.approx(scoring.consolidate(once, second))),
    ]


def test_the_log_keeps_the_latest_reviews(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        planted(connection)
        planted(connection)
        for number in range(1, 101):
            fold_reviews(connection, [(1, START + number * 500 * DAY), (2, START + DAY * 8)], settings)
    assert [each["at"] for each in fetch(connection, "reviews", memory=1)] == [
        START + number * 500 * DAY for number in range(101 - LOGGED, 101)
    ]
    assert len(fetch(connection, "reviews", memory=2)) == 1


def test_the_log_is_only_added_to(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        planted(connection)
        fold_reviews(connection, [(1, START + 8 * DAY)], settings)
    with pytest.raises(Error, match="only added"):
        connection.execute("UPDATE review SET decay = 1")
