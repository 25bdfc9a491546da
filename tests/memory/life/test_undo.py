from dataclasses import replace
from typing import Any

import pytest
from support.agent import Agent
from support.keeper import Keeper, _no_pauses  # noqa: F401 - a fixture
from support.stores import START, YOUNG, Clock, planted

from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.undo import Undoing, require_undoable
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.store.database import Database
from firmmem.store.statements import Connection

FADED = replace(YOUNG, reviewed_at=START - 100 * DAY)


@pytest.fixture
async def keeper(database: Database, clock: Clock) -> Keeper:
    keeper = Keeper(database, clock)
    await keeper.run("tiers", "forget", "purge")
    await keeper.days(2)
    return keeper


async def last_run(keeper: Keeper) -> int:
    [run] = await keeper.query("SELECT max(id) AS id FROM run")
    return int(run["id"])


async def undo(keeper: Keeper, run_id: int) -> tuple[int, list[str]]:
    await keeper.database.read(require_undoable, run_id)
    undoing, more, total, told = Undoing(run_id), True, 0, []
    while more:
        count, lines, more = await keeper.database.write(undoing.chunk, now=keeper.clock.now)
        total += count
        told += lines
    return total, told


async def index_of(keeper: Keeper) -> list[dict[str, Any]]:
    return await keeper.query("SELECT rowid FROM memory_words WHERE memory_words MATCH 'memory' ORDER BY rowid")


async def test_a_run_that_forgot_is_taken_back_bit_for_bit(keeper: Keeper, clock: Clock) -> None:
    def plant(connection: Connection) -> None:
        for number in range(1_500):
            life = FADED if number < 250 else replace(YOUNG, reviewed_at=clock.now)
            planted(connection, life, branch="idea" if number % 7 == 0 else "", tags=("a", "b"))

    await keeper.database.write(plant)
    clock.pass_days(1)
    before, words = await keeper.snapshot(), await index_of(keeper)
    tags = await keeper.query("SELECT * FROM memory_tag ORDER BY 1, 2, 3")
    assert await keeper.run("forget") == ["250 forgotten"]
    assert await keeper.snapshot() != before
    run = await last_run(keeper)
    assert await undo(keeper, run) == (250, [])
    assert await keeper.snapshot() == before
    assert await index_of(keeper) == words
    assert await keeper.query("SELECT * FROM memory_tag ORDER BY 1, 2, 3") == tags
    await keeper.days(19)  # nor does the next run undo the undoing
    assert await keeper.snapshot() == before
    assert (await undo(keeper, run))[0] == 0


async def test_a_run_that_moved_tiers_is_taken_back_and_stays_so(keeper: Keeper, clock: Clock) -> None:
    def plant(connection: Connection) -> None:
        planted(connection, replace(YOUNG, trust=0.8, recall_count=5))
        planted(connection, replace(YOUNG, tier="validated", trust=0.2))

    await keeper.database.write(plant)
    before = await keeper.snapshot()
    clock.pass_days(1)
    await keeper.run("tiers")
    assert await undo(keeper, await last_run(keeper)) == (2, [])
    assert await keeper.snapshot() == before
    clock.pass_days(1)
    assert await keeper.run("tiers") == ["0 promoted, 0 demoted"]


async def test_what_moved_again_since_stays_and_is_named(agent: Agent, keeper: Keeper) -> None:
    for number in range(30):
        await agent.write(f"note {number}")
    await agent.write("tea, then", subject="drink")
    await keeper.days(21)
    agent.clock.pass_days(1)
    await keeper.run("forget")
    run = await last_run(keeper)
    gone = [move["memory"] for move in await keeper.query("SELECT memory FROM move WHERE run = ?", run)]
    await agent.restore(gone[0])
    count, lines = await undo(keeper, run)
    assert count == len(gone) - 1
    assert lines == [f"#{gone[0]} stays as it is: it moved again since"]
    assert (await agent.row(gone[0]))["state"] == "active"


async def test_a_memory_whose_subject_another_one_has_now_stays_away(agent: Agent, keeper: Keeper) -> None:
    await agent.write("drinks tea", subject="drink")
    await keeper.days(23)
    run = await last_run(keeper)
    await agent.write("drinks coffee", subject="drink")
    assert await undo(keeper, run) == (0, ["#1 stays as it is: #2 is about 'drink' now"])


async def test_only_a_run_that_ended_and_that_kept_what_it_moved_can_be_taken_back(
    keeper: Keeper, clock: Clock
) -> None:
    def begin(connection: Connection) -> None:
        connection.execute("INSERT INTO run (id, job, began_at) VALUES (7, 'forget', 0.0), (8, 'purge', 0.0)")
        connection.execute("UPDATE run SET ended_at = 1.0 WHERE id = 8")
        connection.execute("UPDATE job SET run = 7 WHERE name = 'forget'")

    await keeper.database.write(begin)
    for run_id, said in ((1, "no run 1"), (7, "under way"), (8, "for good")):
        with pytest.raises(InvalidArgumentError, match=said):
            await keeper.database.read(require_undoable, run_id)
