from support.agent import Agent, Caller, serving
from support.stores import Clock

from firmmem.settings import Settings


async def test_two_memories_of_one_subject_that_both_stand_are_told_with_dates_and_as_in_conflict(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The office is in Berlin.", verified=True, subject="office")
        clock.pass_days(2)
        await caller.write("The office moved to Lisbon.", subject="office")
        first, second = await caller.memories("where is the office?")
    assert first.startswith("#1 validated 2026-05-16 ")
    assert "(in conflict with #2 (newer and less firm): ask the user) The office is in Berlin." in first
    assert "2026-05-18" in second
    assert "(in conflict with #1 (firmer and older): ask the user) The office moved to Lisbon." in second


async def test_what_seemed_to_contradict_at_writing_is_marked_until_one_is_put_away(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The upload limit of the server is 100 MB")
        await caller.write("The upload limit of the server is 200 MB")
        lines = await caller.memories("upload limit")
        assert sorted("may conflict with" in line for line in lines) == [True, True]
        await caller.call("archive_memory", memory_ids=[1])
        assert "conflict" not in "\n".join(await caller.recall("upload limit"))


async def opponent_line(caller: Caller, budget: int) -> list[str]:
    lines = await caller.recall("Lisbon", limit=1, token_budget=budget)
    return [line for line in lines if line.startswith("against")]


async def test_an_opponent_that_is_not_found_is_quoted_where_the_budget_has_room(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The headquarters are in Berlin.", verified=True, subject="office")
        await caller.write("They moved to Lisbon.", subject="office")
        assert await opponent_line(caller, 1500) == [
            'against #2: #1 validated 2026-05-16 "The headquarters are in Berlin."'
        ]
        assert await opponent_line(caller, 50) == []


async def test_nothing_stands_against_what_superseded_it_nor_what_another_branch_or_namespace_says(
    agent: Agent,
) -> None:
    await agent.write("In Berlin", subject="office")
    await agent.write("In Lisbon", subject="office")
    await agent.write("In Porto", "validated", subject="office", branch="idea")
    await agent.write("In Rome", "validated", subject="office", namespace="another")
    assert (await agent.recall("office")).opposed == {}
    with_branch = await agent.recall("office", branch="idea")
    assert {memory: [other.id for other in others] for memory, others in with_branch.opposed.items()} == {
        2: [3],
        3: [2],
    }
    history = await agent.recall("office", include_archived=True)
    assert history.opposed == {}
