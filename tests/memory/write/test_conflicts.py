"""Memories that can't both be right are told in pairs."""

from dataclasses import replace

import pytest
from support.agent import Agent
from support.stores import START, YOUNG, planted

from firmmem.memory.write.conflicts import list_conflicts
from firmmem.store.statements import Connection, sql


async def pairs(agent: Agent, namespace: str = "default", most: int = 1000) -> list[tuple[int, int, str]]:
    found = await agent.database.read(list_conflicts, namespace, most=most)
    return [(each.older["id"], each.newer["id"], each.about) for each in found]


async def test_two_memories_of_one_subject_in_different_tiers_are_a_conflict(agent: Agent) -> None:
    await agent.write("The plan is A", "strategic", goal_id="g", subject="plan")
    await agent.write("Something quite different", subject="plan")
    assert await pairs(agent) == [(1, 2, "both are about 'plan'")]


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("The connection limit is 100 per host", "The connection limit is 200 per host"),
        ("The beta release ships on 2026-03-01", "The beta release ships on 2026-04-01"),
        ("The staging server is reachable from outside", "The staging server is not reachable from outside"),
        ("数据库端口是 5432", "数据库端口是 5433"),
    ],
)
async def test_texts_alike_but_for_a_number_a_date_or_a_not_are_a_conflict(
    agent: Agent, one: str, another: str
) -> None:
    await agent.write(one)
    await agent.write("The cat sleeps on the sofa")
    await agent.write(another)
    assert await pairs(agent) == [(1, 3, "they seem to contradict each other")]


async def test_what_agrees_is_settled_or_lies_elsewhere_is_no_conflict(agent: Agent) -> None:
    await agent.write("The connection limit is 100 per host")
    await agent.write("The connection limit is 200 per host", supersedes=(1,))
    await agent.write("The connection limit per host", branch="idea")
    await agent.write("The connection limit is 300 per host", namespace="other")
    await agent.write("Uses tabs")
    await agent.write("Uses tabs in Makefiles")
    assert await pairs(agent) == []


async def test_each_pair_is_told_once(agent: Agent) -> None:
    await agent.write("The connection limit is 100 per host", "validated", subject="limit")
    await agent.write("The connection limit is 200 per host", subject="limit")
    assert await pairs(agent) == [(1, 2, "both are about 'limit'")]


async def test_of_what_was_not_noted_the_newest_are_compared(agent: Agent) -> None:
    def plant(connection: Connection) -> None:
        for days, text in enumerate(("The connection limit is 100", "The connection limit is 200", "Newer than both")):
            planted(connection, replace(YOUNG, reviewed_at=START + days), text)

    await agent.database.write(plant)
    assert await pairs(agent, most=1) == []
    assert len(await pairs(agent, most=2)) == 1


async def test_what_was_noted_when_it_was_written_is_told_however_old(agent: Agent) -> None:
    for text in ("Ships in May", "The release is put off", "Newer than both"):
        await agent.write(text)

    def note(connection: Connection) -> None:
        connection.execute("INSERT OR IGNORE INTO conflict (memory, other) VALUES (1, 2), (2, 1)")

    await agent.database.write(note)
    assert await pairs(agent, most=1) == [(1, 2, "they seem to contradict each other")]
    await agent.archive(1)
    assert await pairs(agent) == []


def test_subjects_are_paired_by_their_index(connection: Connection) -> None:
    statement = f"EXPLAIN QUERY PLAN {sql('subject_conflicts')}"
    plan = [row["detail"] for row in connection.execute(statement, {"namespace": "default", "most": 1})]
    assert any("weaker USING COVERING INDEX memory_by_subject (shelf=? AND subject_key=?" in step for step in plan)
