import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agent import Agent
from support.keeper import Keeper, _no_pauses  # noqa: F401 - a fixture
from support.stores import START, YOUNG, Clock, planted

from firmmem.memory.life.forget import (
    GAP,
    SKEW,
    WAIT,
    Due,
    Forgetting,
    due_since,
    fading_drafts,
    forgettable_counts,
    purge_memory,
)
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.statements import Connection

FADED = replace(YOUNG, reviewed_at=START - 100 * DAY)


@pytest.fixture
def agent(database: Database, clock: Clock) -> Agent:
    return Agent(database, clock)


@pytest.fixture
async def keeper(database: Database, clock: Clock) -> Keeper:
    """What has worked on the file every day until now."""
    keeper = Keeper(database, clock)
    await keeper.run("tiers", "forget", "purge")
    await keeper.days(2)
    return keeper


async def test_a_draft_nobody_uses_is_put_away_in_its_third_week_and_nothing_else_is(
    agent: Agent, keeper: Keeper
) -> None:
    await agent.write("Had noodles for lunch")
    await agent.write("The limit is 100", "validated")
    await agent.write("Ship in spring", "strategic", goal_id="ship")
    await agent.write("Is called Ada", "core")
    await keeper.days(20)
    assert await keeper.states() == {"active": 4}
    await keeper.days(2)
    assert await keeper.states() == {"active": 3, "archived": 1}
    row = await agent.row(1)
    assert (row["state"], row["state_cause"]) == ("archived", "forgotten")
    await keeper.days(400)
    assert await keeper.states() == {"active": 3, "archived": 1}


async def test_a_draft_that_is_used_stays(agent: Agent, keeper: Keeper) -> None:
    from firmmem.memory.life.review import fold_reviews

    await agent.write("Prefers noodles")
    await agent.write("Had rice for lunch")
    for _ in range(6):
        await keeper.days(14)
        await agent.database.write(fold_reviews, [(1, agent.clock.now)], agent.database.settings)
    assert [row["state"] for row in await agent.rows()] == ["active", "archived"]


async def test_drafts_of_an_abandoned_branch_are_forgotten_too(agent: Agent, keeper: Keeper) -> None:
    await agent.write("Try a B-tree", branch="idea")
    await keeper.days(23)
    row = await agent.row(1)
    assert (row["state"], row["branch"], row["state_cause"]) == ("archived", "idea", "forgotten")
    assert (await agent.restore(1)).done == 1
    assert (await agent.row(1))["state"] == "active"


async def test_what_was_restored_or_written_again_has_the_time_of_a_new_draft(agent: Agent, keeper: Keeper) -> None:
    await agent.write("Likes tea")
    await keeper.days(23)
    await agent.restore(1)
    await keeper.days(20)
    assert (await agent.row(1))["state"] == "active"
    await agent.write("likes tea")
    await keeper.days(20)
    assert (await agent.row(1))["state"] == "active"
    await keeper.days(3)
    assert (await agent.row(1))["state"] == "archived"


async def test_a_memory_changed_meanwhile_is_not_put_away(agent: Agent, keeper: Keeper) -> None:
    from firmmem.memory.life.review import fold_reviews

    for number in range(3):
        await agent.write(f"note {number}")
    await keeper.days(20)
    now = agent.clock.pass_days(1)
    shelf = (await agent.row(1))["shelf"]
    forgetting = Forgetting(shelf, "default", "", now, 3)
    await agent.database.write(fold_reviews, [(2, now)], agent.database.settings)  # after the run began
    done, more = await agent.database.write(forgetting.chunk, run_id=1, now=now)
    assert (done, more) == (2, False)
    assert [row["state"] for row in await agent.rows()] == ["archived", "active", "archived"]


async def test_a_fifth_of_a_namespace_is_forgotten_in_a_day_at_most(keeper: Keeper, clock: Clock) -> None:
    def plant(connection: Connection) -> None:
        for _ in range(100):
            planted(connection, FADED)
        for _ in range(3):
            planted(connection, FADED, namespace="small")

    await keeper.database.write(plant)
    left = []
    for _ in range(30):
        clock.pass_days(1 / 24)
        await keeper.run("forget")
        left.append((await keeper.states())["active"])
    assert left[0] == left[22] == 103 - 20 - 1
    assert left[-1] == 103 - 20 - 1 - 20 - 1 + 4  # a fifth of the 80 that were left, and the next of the three


async def test_more_than_a_chunk_is_forgotten_in_one_run(keeper: Keeper, clock: Clock) -> None:
    def plant(connection: Connection) -> None:
        for number in range(2_600):
            planted(connection, FADED if number < 500 else replace(YOUNG, reviewed_at=clock.now))

    await keeper.database.write(plant)
    clock.pass_days(1)
    assert await keeper.run("forget") == ["500 forgotten"]
    [run] = await keeper.query("SELECT id, job, done FROM run")
    assert (run["job"], run["done"]) == ("forget", 500)
    assert await keeper.query("SELECT DISTINCT cause, run FROM move") == [{"cause": "forgotten", "run": run["id"]}]


async def test_after_a_gap_what_is_due_is_only_marked_and_put_away_a_day_later(agent: Agent, keeper: Keeper) -> None:
    for number in range(10):
        await agent.write(f"note {number}")
    agent.clock.pass_days(3650)
    assert await keeper.run("forget") == ["0 forgotten; what has faded is marked, for a day"]
    for _ in range(22):
        agent.clock.pass_days(1 / 24)
        await keeper.run("forget")
    assert await keeper.states() == {"active": 10}
    agent.clock.pass_days(2.1 / 24)
    assert await keeper.run("forget") == ["2 forgotten"]


async def test_a_file_used_once_in_a_fortnight_forgets_too(agent: Agent, keeper: Keeper) -> None:
    for number in range(10):
        await agent.write(f"note {number}")
    for _ in range(4):
        agent.clock.pass_days(14)
        await keeper.run("forget")
    assert (await keeper.states())["archived"] >= 2


@given(
    last_run=st.none() | st.floats(-GAP * 3, GAP * 3),
    marked_at=st.none() | st.floats(-GAP * 3, GAP * 3),
)
def test_nothing_is_due_at_once_after_a_gap_and_everything_that_is_due_comes(
    last_run: float | None, marked_at: float | None
) -> None:
    due = due_since(last_run, marked_at, now=0.0)
    if last_run is None or last_run < -GAP:
        assert due.horizon <= -WAIT
    assert due.horizon <= 0.0
    next_day = WAIT + SKEW
    assert due_since(0.0, due.marked_at, now=next_day) == Due(next_day, None)


async def test_a_mark_of_a_clock_that_was_ahead_is_dropped(agent: Agent, keeper: Keeper) -> None:
    await agent.write("note")
    agent.clock.pass_days(3650)
    await keeper.run("forget")
    agent.clock.pass_days(-3650 + 1 / 12)
    assert await keeper.run("forget") == ["0 forgotten"]
    assert await keeper.query("SELECT marked_at FROM job WHERE name = 'forget'") == [{"marked_at": None}]


def test_the_forecast_names_what_fades_in_order_and_what_a_move_keeps_later(
    connection: Connection, settings: Settings
) -> None:
    first = planted(connection, YOUNG)
    second = planted(connection, replace(YOUNG, recall_count=2, consolidation=0.5))
    planted(connection, replace(YOUNG, tier="validated"))
    planted(connection, YOUNG, namespace="another")
    planted(connection, YOUNG, state="archived")
    branch = planted(connection, FADED, branch="idea")
    told = [
        (row["id"], (at - START) / DAY)
        for at, row in fading_drafts(connection, "default", settings, until=START + 60 * DAY, now=START)
    ]
    life = 7 * math.log(20)
    assert told == [(branch, 0.0), (first, pytest.approx(life)), (second, pytest.approx(1.5 * life))]


def test_room_is_a_fifth_and_one_at_least(connection: Connection) -> None:
    for _ in range(10):
        planted(connection, YOUNG)
    planted(connection, YOUNG, namespace="small")
    assert forgettable_counts(connection, now=START) == {"default": 2, "small": 1}


async def test_nothing_is_deleted_unless_a_grace_period_is_set(agent: Agent, keeper: Keeper) -> None:
    for number in range(5):
        await agent.write(f"note {number}")
    await keeper.days(400)
    assert await keeper.states() == {"archived": 5}
    assert await keeper.query("SELECT * FROM run WHERE job = 'purge'") == []


async def test_what_was_forgotten_is_deleted_after_the_grace_period_and_what_was_archived_is_not(
    settings: Settings, clock: Clock
) -> None:
    async with open_database(settings.model_copy(update={"purge_after_days": 30.0})) as database:
        agent, keeper = Agent(database, clock), Keeper(database, clock)
        await keeper.days(2)
        await agent.write("noise", tags=("a",))
        await agent.write("put away by the agent")
        await agent.write("an older version")
        await agent.write("a newer version", supersedes=(3,))
        await agent.archive(2)
        await keeper.days(50)
        assert {row["id"] for row in await agent.rows()} == {1, 2, 3, 4}
        await keeper.days(8)
        assert {row["id"] for row in await agent.rows()} == {2, 3, 4}  # history leads to 4
        assert await keeper.query("SELECT * FROM memory_tag") == []
        assert await keeper.query("SELECT * FROM move WHERE memory = 1") == []
        assert (await agent.write("noise")).id == 5  # an id is never given twice
        assert await keeper.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
        clock.pass_days(3650)
        await keeper.run("purge")
        assert {row["id"] for row in await agent.rows()} == {2, 3, 4, 5}


async def test_what_came_back_since_it_was_looked_at_is_not_deleted(database: Database, keeper: Keeper) -> None:
    def plant(connection: Connection) -> list[int]:
        for state in ("archived", "active", "archived"):
            planted(connection, state=state)
        connection.execute("UPDATE memory SET state_cause = 'forgotten' WHERE id < 3")
        return [purge_memory(connection, memory, START + DAY) for memory in (1, 2, 3)]

    assert await database.write(plant) == [1, 0, 0]
    assert await database.write(purge_memory, 1, START) == 0


async def test_forgetting_reads_its_index(keeper: Keeper) -> None:
    from firmmem.store.statements import sql

    def plans(connection: Connection) -> list[str]:
        statements = ("due", "due_shelves", "forecast", "promotable", "demotable", "purgeable")
        statements += ("promotable_shelves", "demotable_shelves", "purgeable_shelves")
        values = dict.fromkeys(
            ("shelf", "horizon", "after", "after_id", "kept_since", "until", "kept", "undone_since"), 1
        )
        values |= {"chunk": 200, "promote_trust": 1, "demote_trust": 1, "namespace": "default"}  # type: ignore[dict-item]
        return [
            row["detail"]
            for name in statements
            for row in connection.execute(f"EXPLAIN QUERY PLAN {sql(name)}", values)
        ]

    for detail in await keeper.database.read(plans):
        assert "SCAN memory" not in detail
        assert "SCAN older" not in detail
