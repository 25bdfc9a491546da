import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agent import Agent
from support.keeper import QUICK, Keeper, _no_pauses  # noqa: F401 - a fixture
from support.stores import START, YOUNG, planted

from firmmem import scoring
from firmmem.memory.rows.ranking_keys import DAY, Keying, Life, compute_keys
from firmmem.store.statements import Connection

KEYING = Keying(7.0, 60.0, 365.0, 0.5)


async def moves(agent: Agent) -> list[dict[str, Any]]:
    def read(connection: Connection) -> list[dict[str, Any]]:
        return [
            dict(row)
            for row in connection.execute(
                "SELECT move.*, was.state AS from_state, is_now.state AS to_state, is_now.branch AS to_branch "
                "FROM move JOIN shelf AS was ON was.id = from_shelf JOIN shelf AS is_now ON is_now.id = to_shelf "
                "ORDER BY move.id"
            )
        ]

    return await agent.database.read(read)


def told(moves: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (
            move["memory"],
            move["cause"],
            f"{move['from_tier']} {move['from_state']}",
            f"{move['to_tier']} {move['to_state']}",
        )
        for move in moves
    ]


@given(
    consolidation=st.floats(0, 1),
    recall_count=st.integers(0, 1000),
    reviewed_at=st.floats(0, 4e9),
    base=st.floats(0.01, 1000),
)
def test_a_draft_fades_when_five_hundredths_are_left(
    consolidation: float, recall_count: int, reviewed_at: float, base: float
) -> None:
    life = Life("draft", 0.5, 0.5, consolidation, recall_count, 1.0, reviewed_at)
    values = compute_keys(life, Keying(base, 60.0, 365.0, 0.5))
    fades_at, half_life = values["fades_at"], values["half_life"]
    assert fades_at is not None
    assert half_life is not None
    assert scoring.decay((fades_at - reviewed_at) / DAY, half_life) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize("tier", ["core", "strategic", "validated"])
def test_only_drafts_fade_away(tier: Any) -> None:
    assert compute_keys(Life(tier, 0.5, 0.5, 0.0, 0, 1.0, START), KEYING)["fades_at"] is None


def test_what_an_older_file_holds_gets_the_moment_it_fades_at(connection: Connection) -> None:
    planted(connection, YOUNG)
    planted(connection, Life("validated", 0.5, 0.7, 0.0, 0, 1.0, START))
    query = "SELECT fades_at FROM memory ORDER BY id"
    written = [row["fades_at"] for row in connection.execute(query)]
    connection.execute("UPDATE memory SET fades_at = NULL")
    connection.execute(
        "UPDATE memory SET fades_at = reviewed_at + half_life * 2.995732273553991 * 86400.0 WHERE tier = 'draft'"
    )  # as migrations/0003_life.sql says
    assert [row["fades_at"] for row in connection.execute(query)] == written
    assert written == [START + 7.0 * math.log(20) * DAY, None]


async def test_every_move_is_in_the_ledger_with_its_cause(agent: Agent) -> None:
    await agent.write("The limit is 100")
    await agent.feedback("verified", 1)
    await agent.archive(1, reason="no longer used")
    await agent.restore(1)
    await agent.write("The limit is 200", supersedes=(1,), tier="validated")
    assert told(await moves(agent)) == [
        (1, "verified", "draft active", "validated active"),
        (1, "agent", "validated active", "validated archived"),
        (1, "agent", "validated archived", "validated active"),
        (1, "superseded", "validated active", "validated superseded"),
    ]
    assert [move["reason"] for move in await moves(agent)][1] == "no longer used"
    assert {move["run"] for move in await moves(agent)} == {None}


async def test_a_text_written_again_in_a_firmer_tier_is_a_move_and_a_merge_is_two(agent: Agent) -> None:
    await agent.write("Uses tabs")
    await agent.write("Uses tabs", "strategic", goal_id="style")
    await agent.write("Uses spaces in YAML", branch="yaml")
    await agent.feedback("verified", branch="yaml")
    assert told(await moves(agent)) == [
        (1, "written", "draft active", "strategic active"),
        (2, "verified", "draft active", "validated active"),
        (2, "branch", "validated active", "validated active"),
    ]


async def test_the_ledger_of_moves_is_only_added_to(agent: Agent) -> None:
    await agent.write("Likes tea")
    await agent.archive(1)

    def change(connection: Connection) -> None:
        connection.execute("UPDATE move SET cause = 'another'")

    with pytest.raises(Exception, match="only added to"):
        await agent.database.write(change)


async def test_a_draft_written_again_shortly_before_it_fades_is_kept_noted_once_a_day(agent: Agent) -> None:
    await agent.write("Likes tea")
    for days in (5, 10, 5.5):
        agent.clock.pass_days(days)
        for _ in range(20):
            await agent.write("likes tea")
    assert told(await moves(agent)) == [(1, "written again", "draft active", "draft active")] * 2
    assert (await agent.row(1))["recall_count"] == 0


async def something(chance: random.Random, agent: Agent, keeper: Keeper) -> None:
    """Let a random thing happen to a random memory."""
    memory = chance.randrange(1, 13)
    branch = chance.choice(["", "", "idea"])
    match chance.randrange(8):
        case 0 | 1:
            tier: Any = chance.choice(["draft", "draft", "validated", "strategic", "core"])
            branch = "" if tier == "core" else branch
            subject = chance.choice(["", "a", "b"])
            await agent.write(f"note {memory}", tier, goal_id=chance.choice(["", "g"]), subject=subject, branch=branch)
        case 2:
            outcome: Any = chance.choice(["positive", "negative", "negative", "verified"])
            session = f"session {chance.randrange(9)}"
            await Agent(agent.database, agent.clock, session).feedback(outcome, memory)
        case 3:
            await agent.archive(memory, **chance.choice([{}, {"goal_id": "g"}, {"branch": "idea"}]))
        case 4:
            await agent.restore(memory, **chance.choice([{}, {"goal_id": "g"}, {"branch": "idea"}]))
        case 5:
            await agent.write(f"newer than {memory}", supersedes=(memory,), branch=branch)
        case 6:
            await agent.feedback("verified", branch="idea")
        case 7:
            await keeper.days(chance.choice([1, 5]), *QUICK)


@pytest.mark.parametrize("seed", range(8))
async def test_the_ledger_replayed_gives_each_memory_its_tier_and_its_shelf(agent: Agent, seed: int) -> None:
    chance, keeper = random.Random(seed), Keeper(agent.database, agent.clock)  # noqa: S311
    first: dict[int, tuple[str, int]] = {}
    for _ in range(60):
        await something(chance, agent, keeper)
        first = {row["id"]: (row["tier"], row["shelf"]) for row in await agent.rows() if row["id"] not in first} | first
    present = {row["id"]: (row["tier"], row["shelf"]) for row in await agent.rows()}
    chained: dict[int, tuple[str, int]] = {}
    for move in await moves(agent):
        came_from = (move["from_tier"], move["from_shelf"])
        assert chained.get(move["memory"], came_from) == came_from
        chained[move["memory"]] = (move["to_tier"], move["to_shelf"])
    assert {memory: chained.get(memory, first[memory]) for memory in present} == present
