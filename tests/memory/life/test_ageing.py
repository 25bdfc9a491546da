"""Memories as they age: upkeep, clocks and other clients change no count and lose no row."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.streams.text import TextReceiveStream
from support.agent import Agent, serving
from support.checkout import TESTS
from support.keeper import BY_NAME, Keeper, _no_pauses  # noqa: F401 - a fixture
from support.stores import START, YOUNG, Clock, planted, write_one

from firmmem.contract import Question
from firmmem.memory.life.review import fold_reviews
from firmmem.memory.recall.recall import find, recall
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.statements import Connection
from firmmem.upkeep import held, schedule
from firmmem.upkeep.schedule import do_due_work

COUNTS = ("recall_count", "consolidation", "strength", "reviewed_at", "trust", "importance", "created_at")


@pytest.fixture
def keeper(database: Database, clock: Clock) -> Keeper:
    return Keeper(database, clock)


async def test_what_was_superseded_is_not_told_and_its_history_has_both_with_dates(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The office is in Berlin.")
        clock.pass_days(30)
        await caller.write("The office moved to Lisbon.", supersedes=[1])
        [line] = await caller.memories("where is the office?")
        assert "Lisbon" in line
        both = "\n".join(await caller.memories("where is the office?", include_archived=True))
    assert "2026-05-16" in both
    assert "(superseded by #2) The office is in Berlin." in both
    assert "2026-06-15" in both


async def test_upkeep_a_hundred_times_changes_no_count(agent: Agent, keeper: Keeper) -> None:
    for number in range(20):
        await agent.write(f"note {number}", ("draft", "validated")[number % 2])
    await agent.database.write(fold_reviews, [(1, agent.clock.now + 5 * DAY)], agent.database.settings)
    agent.clock.pass_days(6)
    before = await keeper.snapshot()
    for _ in range(100):
        agent.clock.now += 3_600
        await keeper.run("tiers", "forget", "statistics", "anomalies", "purge")
    after = await keeper.snapshot()
    for name in COUNTS:
        assert [row[name] for row in after] == [row[name] for row in before]
    assert await keeper.query("SELECT * FROM exposure") == []


async def test_in_thirty_days_of_upkeep_no_row_leaves_the_file(agent: Agent, keeper: Keeper) -> None:
    rows = 0
    for day in range(30):
        for number in range(3):
            await agent.write(f"day {day}, note {number}")
        await keeper.days(1, *BY_NAME)
        [count] = await keeper.query("SELECT count(*) AS count FROM memory")
        assert count["count"] == rows + 3
        rows = count["count"]
    assert (await keeper.states())["archived"] > 0


async def order(agent: Agent) -> list[tuple[int, float]]:
    """Main memory by trust, with its scores, which have to be shares."""
    memories = (await agent.recall(limit=100, token_budget=20_000)).memories
    assert all(0.0 <= value <= 1.0 for each in memories for value in (each.score, each.rfm, each.decay, each.trust))
    return [(each.id, each.trust) for each in sorted(memories, key=lambda each: (-each.trust, each.id))]


async def test_a_clock_set_back_an_hour_ahead_ten_years_and_back_again_loses_nothing(
    agent: Agent, keeper: Keeper
) -> None:
    for number in range(10):
        await agent.write(f"note {number}", ("draft", "validated")[number % 2])
        await Agent(agent.database, agent.clock, "other").feedback(
            ("positive", "negative")[number % 3 == 0], number + 1
        )  # type: ignore[arg-type]
    await keeper.days(3, *BY_NAME)
    before = await order(agent)
    for step in (-1 / 24, 3650.0, 1 / 24, -3650.0, 1.0):
        agent.clock.pass_days(step)
        await keeper.run(*BY_NAME)
        assert await order(agent) == before
        assert set(await keeper.states()) == {"active"}
        for number in (1, 10):
            assert number in await agent.found(f"note {number - 1}")
    row = await agent.row(1)
    assert row["recall_count"] == 0


async def test_reading_by_upkeep_and_by_a_person_is_no_review(agent: Agent, keeper: Keeper) -> None:
    await agent.write("Prefers noodles")
    agent.clock.pass_days(10)
    before = await keeper.snapshot()

    def look(connection: Connection) -> Any:
        return find(connection, Question("default", query="noodles"), agent.database.settings, now=agent.clock.now)

    for _ in range(20):
        await agent.database.read(look)
        await keeper.run("statistics", "anomalies")
    assert await keeper.snapshot() == before


WRITER = """
import sys, time
from pathlib import Path
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction
from firmmem.settings import Settings
from support.stores import write_one

settings = Settings(db=Path(sys.argv[1]))
connection = open_connection(settings)
print("ready", flush=True)
took, number = [], 0
until = time.monotonic() + 60
while not Path(sys.argv[2]).exists() and time.monotonic() < until:
    began = time.perf_counter()
    with transaction(connection):
        write_one(connection, settings, f"written meanwhile, number {number}")
    took.append(time.perf_counter() - began)
    number += 1
print(number, sorted(took)[int(0.99 * len(took))])
connection.close()
"""


async def test_another_client_writes_while_thousands_are_forgotten_and_what_it_changed_stays(
    keeper: Keeper, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "PAUSE", 0.02)
    monkeypatch.setattr(held, "SHARE", 1.0)
    faded = replace(YOUNG, reviewed_at=START - 100 * DAY)

    def plant(connection: Connection) -> None:
        for number in range(6_000):
            planted(connection, faded if number < 1_200 else replace(YOUNG, reviewed_at=START + DAY))

    await keeper.database.write(plant)
    await keeper.run("forget")
    clock.pass_days(1.1)
    done = tmp_path / "done"
    command = [sys.executable, "-c", WRITER, str(keeper.database.path), str(done)]
    async with await anyio.open_process(command, cwd=TESTS) as writer:
        assert writer.stdout is not None
        said = TextReceiveStream(writer.stdout)
        assert (await said.receive()).startswith("ready")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keeper.run, "forget")
            await keeper.database.write(fold_reviews, [(1_200, clock.now)], keeper.database.settings)
        done.touch()
        written, p99 = "".join([part async for part in said]).split()[-2:]
    assert int(written) > 0
    assert float(p99) < 1.0
    assert (await keeper.states())["archived"] >= 1_199
    [kept] = await keeper.query("SELECT recall_count, state_cause FROM memory WHERE id = 1200")
    assert kept in ({"recall_count": 1, "state_cause": ""}, {"recall_count": 0, "state_cause": "forgotten"})
    assert await keeper.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]


async def test_a_server_does_overdue_work_soon_after_it_starts(
    settings: Settings, keeper: Keeper, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticked = anyio.Event()

    async def ticking(*given: Any) -> None:
        await do_due_work(*given)
        ticked.set()

    await keeper.run(*BY_NAME)
    agent = Agent(keeper.database, clock)
    await agent.write("Had noodles for lunch")
    await keeper.days(20, *BY_NAME)
    clock.pass_days(3)
    monkeypatch.setattr(schedule, "FIRST", 0.0)
    monkeypatch.setattr(schedule, "do_due_work", ticking)
    async with serving(settings, clock):
        with anyio.fail_after(30):
            await ticked.wait()
    assert (await agent.row(1))["state"] == "archived"


@pytest.mark.parametrize("step", [3600.0, -3600.0, 3650 * DAY, -3650 * DAY])
async def test_a_clock_that_steps_and_comes_back_leaves_scores_order_and_memories(
    settings: Settings, clock: Clock, step: float
) -> None:
    async with open_database(settings) as opened:
        for number in range(30):
            await opened.write(write_one, settings, f"The office number {number} is in Lisbon", now=clock())
        question = Question("default", query="office Lisbon", limit=50, token_budget=20_000)
        before = await recall(opened, question, now=clock())
        clock.now += step
        during = await recall(opened, question, now=clock())
        await opened.write(write_one, settings, "Written while the clock was wrong", now=clock())
        for memory in during.memories:
            assert 0.0 <= memory.score <= 1.0
            assert 0.0 <= memory.decay <= 1.0
        clock.now = START
        after = await recall(opened, question, now=clock())
        assert [memory.id for memory in after.memories] == [memory.id for memory in before.memories]
        assert [memory.score for memory in after.memories] == [memory.score for memory in before.memories]
        written = await recall(opened, Question("default", query="clock wrong"), now=clock())
        assert [memory.summary for memory in written.memories] == ["Written while the clock was wrong"]
