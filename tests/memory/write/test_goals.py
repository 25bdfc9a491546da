import pytest
from support.agent import Agent

from firmmem.errors import InvalidArgumentError
from firmmem.memory.write.goals import close_goal, list_goalless, open_goal, read_goals, reopen_goal


async def said(agent: Agent, what: object, name: str, **more: object) -> str:
    result = await agent.database.write(what, name, namespace="default", now=agent.clock.now, **more)  # type: ignore[arg-type]
    return str(result)


async def lost(agent: Agent) -> list[int]:
    return [row["id"] for row in await agent.database.read(list_goalless, namespace="default")]


async def test_goals_are_listed_with_how_many_memories_serve_them(agent: Agent) -> None:
    await agent.write("Plan A", "strategic", goal_id="launch")
    await agent.write("Plan B", "strategic", goal_id="launch")
    await agent.write("Saw a house", goal_id="move")
    await agent.archive(2)
    rows = await agent.database.read(read_goals, namespace="default")
    assert [(row["name"], row["active"], row["archived"], row["opened_at"]) for row in rows] == [
        ("launch", 1, 1, agent.clock.now),
        ("move", 1, 0, None),
    ]
    assert await agent.database.read(read_goals, namespace="another") == []


async def test_a_goal_is_opened_once_and_before_any_memory_too(agent: Agent) -> None:
    assert await said(agent, open_goal, " launch ") == "goal 'launch' open"
    assert await said(agent, open_goal, "launch") == "goal 'launch' is open already"
    await said(agent, close_goal, "launch")
    assert "firmmem goal reopen" in await said(agent, open_goal, "launch")
    with pytest.raises(InvalidArgumentError, match="Give the goal a name"):
        await said(agent, open_goal, "  ")


async def test_closing_puts_memories_away_and_reopening_brings_the_same_ones_back(agent: Agent) -> None:
    for text in ("Plan A", "Plan B", "Plan C"):
        await agent.write(text, "strategic", goal_id="launch")
    await agent.archive(3)
    assert await said(agent, close_goal, "launch", reason="launched") == "goal 'launch' closed: 2 memories archived"
    assert [row["state"] for row in await agent.rows()] == ["archived"] * 3
    assert {row["state_reason"] for row in await agent.rows("WHERE memory.id < 3")} == {"launched"}
    assert await said(agent, reopen_goal, "launch") == "goal 'launch' open again: 2 memories restored"
    assert [row["state"] for row in await agent.rows()] == ["active", "active", "archived"]
    for change in (close_goal, reopen_goal):
        with pytest.raises(InvalidArgumentError, match="no goal 'lunch'"):
            await said(agent, change, "lunch")


async def test_strategic_memories_without_an_open_goal_are_reported(agent: Agent) -> None:
    await agent.write("Plan A", "strategic", goal_id="launch")
    await agent.write("Plan B", "strategic", goal_id="closed later")
    await agent.write("An event", goal_id="only mentioned")
    await agent.write("Plan C", "strategic", goal_id="")
    await said(agent, close_goal, "closed later")
    await agent.restore(2)
    assert await lost(agent) == [2, 4]
    await said(agent, reopen_goal, "closed later")
    assert await lost(agent) == [4]
