"""Ids as a query read those memories whole."""

import pytest
from support.agent import Agent, serving
from support.stores import Clock

from firmmem.memory.recall.by_id import asked_ids
from firmmem.settings import Settings


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("#5", [5]),
        ("12", [12]),
        (" #3, #7 and 9 ", [3, 7, 9]),
        ("#3 #3", [3]),
        ("memory #4", [4]),
        ("#1、2和#3。", [1, 2, 3]),
        ("#0", []),
        ("#99999999999999", []),
        ("Build 14", []),
        ("#5 tea", []),
        ("5.5", []),
        ("", []),
        ("#", []),
    ],
)
def test_a_query_of_nothing_but_ids_names_them(query: str, ids: list[int]) -> None:
    assert asked_ids(query) == ids


async def test_a_memory_is_read_whole_wherever_it_is(agent: Agent) -> None:
    long = "\n".join(f"Step {number}: turn the valve" for number in range(80))
    await agent.write(long)
    await agent.write("Archived")
    await agent.archive(2)
    found = await agent.recall("#2 #1", token_budget=100)
    assert [memory.summary for memory in found.memories] == ["Archived", long]
    assert found.memories[0].state == "archived"


async def test_what_is_not_there_or_not_recalled_is_said(agent: Agent) -> None:
    await agent.write("Here")
    await agent.write("Elsewhere", namespace="B")
    await agent.write("Doubted")
    await agent.quarantine(3)
    found = await agent.recall("#1, #2, #3, #99")
    assert [memory.id for memory in found.memories] == [1]
    assert found.notes == (
        "there is no #2 in this namespace",
        "#3 is in quarantine: a person sees it with firmmem anomalies",
        "there is no #99 in this namespace",
    )


async def test_a_number_that_is_no_memorys_is_searched_as_a_word(agent: Agent) -> None:
    await agent.write("The flat has the number 412")
    assert [memory.id for memory in (await agent.recall("412")).memories] == [1]


async def test_it_is_told_without_a_word_for_how_well_it_answers(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("Green tea")
        assert await caller.memories("#1") == ["#1 draft 2026-05-16 Green tea"]
        assert (await caller.recall("#8")) == ["Nothing was read.", "note: there is no #8 in this namespace"]
