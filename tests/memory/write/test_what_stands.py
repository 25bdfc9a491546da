"""What stands already: a write names it and says what to do; both sides of a conflict are marked and listed."""

from support.agent import Agent, serving
from support.stores import Clock

from firmmem.memory.write.conflicts import list_conflicts
from firmmem.settings import Settings
from firmmem.store.opening import open_connection


async def test_a_paraphrased_contradiction_is_named_with_its_subject_and_the_user_is_to_be_asked(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The user lives in Porto.", subject="user.city")
        said = await caller.write("The user has moved to Valencia.")
    assert said.splitlines()[1] == (
        'may conflict with #1 draft {user.city} "The user lives in Porto.". If it is outdated, write again with '
        'supersedes=[1]; use subject="user.city" for it; if you do not know which is true, ask the user.'
    )


async def test_records_of_a_series_are_not_marked_and_nothing_is_advised(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        for number in range(14, 45):
            said = await caller.write(f"Build {number} took {number % 7 + 5} minutes")
            assert "supersedes" not in said
        assert "conflict" not in "\n".join(await caller.recall("build minutes", limit=40))


async def test_a_plan_of_the_same_goal_is_named_and_can_be_replaced_in_the_same_call(
    settings: Settings, clock: Clock
) -> None:
    async with serving(settings, clock) as caller:
        plan = "Launch the app on the App Store by 1 March 2027"
        await caller.call("write_strategic_memory", summary=plan, goal_id="launch")
        said, _ = await caller.answer(
            "write_strategic_memory", summary="Testers are invited by email", goal_id="launch"
        )
        assert f'for the same goal: #1 strategic "{plan}". If it is outdated, write again with supersedes=[1].' in said
        moved, _ = await caller.answer(
            "write_strategic_memory",
            summary="The launch is moved to 15 March 2027",
            goal_id="launch",
            supersedes=[1],
        )
        assert f'superseded #1 strategic "{plan}"' in moved
        assert plan not in "\n".join(await caller.recall())


async def test_a_weaker_memory_that_names_a_firmer_one_is_in_conflict_with_it(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("CI runs on Jenkins", verified=True)
        clock.pass_days(1)
        said = await caller.write("CI runs on Buildkite", supersedes=[1])
        assert 'may conflict with #1 validated "CI runs on Jenkins", which is firmer' in said
        lines = await caller.memories("where does CI run")
    assert any(
        "(may conflict with #2 (newer and less firm): ask the user) CI runs on Jenkins" in line for line in lines
    )
    assert any("(may conflict with #1 (firmer and older): ask the user) CI runs on Buildkite" in line for line in lines)
    connection = open_connection(settings, writes=False)
    assert [(pair.older["id"], pair.newer["id"]) for pair in list_conflicts(connection, "default")] == [(1, 2)]
    connection.close()


async def test_a_restored_memory_and_what_had_superseded_it_are_marked(agent: Agent) -> None:
    await agent.write("The store is in the north")
    await agent.write("The depot moved away", supersedes=(1,))
    changed = await agent.archive(1, restore=True)
    assert changed.lines == ("#1 restored; #2 had superseded it and is in use too: they are in conflict, ask the user",)
    found = await agent.recall("store north depot")
    assert {memory: [other.id for other in others] for memory, others in found.opposed.items()} == {1: [2], 2: [1]}


async def test_a_superseded_id_is_followed_to_what_it_has_become(agent: Agent) -> None:
    await agent.write("The depot is in the north")
    await agent.write("The depot is in the south", supersedes=(1,))
    await agent.write("The depot is on the north side", supersedes=(2,))
    again = await agent.write("The depot is in the south", supersedes=(1,))
    assert [quote.id for quote in again.superseded] == [3]
    assert again.notes == ("#1 was superseded before and is #3 now, which is meant here",)
