import pytest
from support.agent import Agent

from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.history import list_moves, list_versions
from firmmem.store.statements import Connection


async def chain(agent: Agent, memory_id: int) -> list[tuple[int, str, float, int | None]]:
    rows = await agent.database.read(list_versions, memory_id, namespace="default")
    return [(row["id"], row["summary"], row["created_at"], row["superseded_by"]) for row in rows]


async def test_a_chain_of_supersession_is_read_whole_from_any_of_its_memories(agent: Agent) -> None:
    times = []
    for place in ("Berlin", "Lisbon", "Porto"):
        times.append(agent.clock.pass_days(10))
        await agent.write(f"The office is in {place}", "validated", subject="office")
    await agent.write("Likes tea")
    await agent.write("Tea and Porto", supersedes=(4,))
    expected = [
        (1, "The office is in Berlin", times[0], 2),
        (2, "The office is in Lisbon", times[1], 3),
        (3, "The office is in Porto", times[2], None),
    ]
    for memory_id in (1, 2, 3):
        assert await chain(agent, memory_id) == expected
    assert [each[0] for each in await chain(agent, 4)] == [4, 5]


async def test_a_memory_that_replaced_several_has_them_all_in_its_history(agent: Agent) -> None:
    for text in ("one", "two", "three"):
        await agent.write(text)
    await agent.write("all of them", supersedes=(1, 2, 3))
    assert [each[0] for each in await chain(agent, 2)] == [1, 2, 3, 4]


async def test_history_is_of_one_namespace(agent: Agent) -> None:
    await agent.write("Likes tea")
    with pytest.raises(InvalidArgumentError, match="no memory #1 in namespace 'another'"):
        await agent.database.read(list_versions, 1, namespace="another")


async def test_moves_are_read_with_where_from_and_where_to(agent: Agent) -> None:
    await agent.write("Likes tea")
    await agent.feedback("verified", 1)
    await agent.archive(1, reason="old")

    def read(connection: Connection) -> list[tuple[str, ...]]:
        return [
            (row["cause"], row["from_tier"], row["to_tier"], row["from_state"], row["to_state"], row["reason"])
            for row in list_moves(connection, 1)
        ]

    assert await agent.database.read(read) == [
        ("verified", "draft", "validated", "active", "active", ""),
        ("agent", "validated", "validated", "active", "archived", "old"),
    ]
