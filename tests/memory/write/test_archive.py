import pytest
from support.agent import Agent

from firmmem.errors import InvalidTextError, RefusedTextError
from firmmem.store.statements import Connection


async def test_what_is_archived_is_kept_and_comes_back_as_it_was(agent: Agent) -> None:
    await agent.write("Prefers trains", tags=("travel",))
    before = await agent.row(1)
    put = await agent.archive(1, reason=" moved on ")
    assert (put.lines, put.done) == (("#1 archived",), 1)
    away = await agent.row(1)
    assert (away["state"], away["state_cause"], away["state_reason"]) == ("archived", "agent", "moved on")
    for said in ({}, {"tags": ("travel",)}, {"query": "trains"}):
        assert await agent.found(**said) == []  # type: ignore[arg-type]
    back = await agent.restore(1)
    assert (back.lines, back.done) == (("#1 restored",), 1)
    after = await agent.row(1)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"state_at", "state_cause", "state_reason"}
    assert await agent.found("trains", tags=("travel",)) == [1]


async def test_what_can_not_be_archived_is_told_one_by_one_and_not_counted(agent: Agent) -> None:
    await agent.write("Is called Ada", "core")
    for text in ("away", "old", "aside"):
        await agent.write(text)
    await agent.archive(2)
    await agent.write("new", supersedes=(3,))
    await agent.quarantine(4)
    await agent.write("foreign", namespace="other")
    changed = await agent.archive(1, 2, 3, 4, 6, 99)
    assert changed.done == 0
    assert changed.lines == (
        "#1 is a core fact: only a person removes it (firmmem core remove)",
        "#2 is already archived",
        "#3 is already history, superseded by #5",
        "#4 is in quarantine: it is not recalled",
        "#6 not found",
        "#99 not found",
    )
    assert await agent.found(namespace="other") == [6]


async def test_what_can_not_be_restored_is_told_one_by_one(agent: Agent) -> None:
    await agent.write("active")
    await agent.write("aside")
    await agent.quarantine(2)
    await agent.write("foreign", namespace="other")
    await agent.archive(3, namespace="other")
    changed = await agent.restore(1, 2, 3, 99)
    assert changed.lines == (
        "#1 is not archived",
        "#2 is in quarantine: a person releases it (firmmem release)",
        "#3 not found",
        "#99 not found",
    )
    assert changed.done == 0
    assert (await agent.row(3))["state"] == "archived"


async def test_nothing_named_changes_nothing(agent: Agent) -> None:
    await agent.write("A statement")
    assert (await agent.archive()).lines == ()
    assert (await agent.restore()).lines == ()
    assert await agent.found() == [1]


async def test_a_memory_is_not_restored_beside_another_of_its_subject(agent: Agent) -> None:
    await agent.write("Lives in Berlin", subject="city")
    await agent.archive(1)
    await agent.write("Lives in Lisbon", subject="city")
    assert (await agent.restore(1)).lines == ("#1 is about 'city', as #2 is: archive that one first",)
    await agent.archive(2)
    assert (await agent.restore(1)).done == 1
    assert await agent.found() == [1]


async def test_a_superseded_memory_is_restored_unless_its_text_has_a_newer_version(agent: Agent) -> None:
    await agent.write("Takes the bus")
    await agent.write("Takes the train", supersedes=(1,))
    assert (await agent.restore(1)).done == 1
    assert sorted(await agent.found()) == [1, 2]
    assert (await agent.row(1))["superseded_by"] is None
    await agent.write("Walks", supersedes=(1,))
    await agent.write("Takes the bus")
    assert (await agent.restore(1)).lines == ("#1 is #4 now, which says the same",)


async def test_closing_a_goal_archives_its_memories_and_opening_it_brings_them_back(agent: Agent) -> None:
    await agent.write("Ship in May", "strategic", goal_id="beta")
    await agent.write("Needs a logo", goal_id="beta")
    await agent.write("A logo in blue", goal_id="beta", branch="idea")
    await agent.write("Other work", goal_id="alpha")
    await agent.write("Is called Ada", "core")
    await agent.archive(2)
    assert (await agent.archive(goal_id="beta")).lines == ("goal 'beta' closed: 2 memories archived",)
    assert sorted(await agent.found(branch="idea")) == [4, 5]
    assert (await agent.archive(goal_id="beta")).lines == ("goal 'beta' was already closed",)
    opened = await agent.restore(goal_id="beta")
    assert (opened.lines, opened.done) == (("goal 'beta' open again: 2 memories restored",), 2)
    assert sorted(await agent.found(branch="idea")) == [1, 3, 4, 5]
    assert (await agent.restore(goal_id="beta")).lines == ("goal 'beta' was open: 0 memories restored",)


async def test_opening_a_goal_tells_what_it_could_not_bring_back(agent: Agent) -> None:
    await agent.write("Ship in May", "strategic", goal_id="beta", subject="ship.date")
    await agent.archive(goal_id="beta")
    await agent.write("Ship in June", subject="ship.date")
    assert (await agent.restore(goal_id="beta")).lines == (
        "goal 'beta' open again: 0 memories restored",
        "#1 is about 'ship.date', as #2 is: archive that one first",
    )


async def test_an_unknown_goal_is_not_found(agent: Agent) -> None:
    await agent.write("Ship in May", "strategic", goal_id="beta", namespace="other")
    for changed in (await agent.archive(goal_id="beta"), await agent.restore(goal_id="beta")):
        assert (changed.lines, changed.done) == (("goal 'beta' not found",), 0)
    assert await agent.found(namespace="other") == [1]


async def test_a_branch_is_dropped_and_brought_back_whole(agent: Agent) -> None:
    await agent.write("Main")
    await agent.write("Idea one", branch="idea")
    await agent.write("Idea two", branch="idea")
    await agent.write("Put away before", branch="idea")
    await agent.archive(4)
    dropped = await agent.archive(branch="idea")
    assert (dropped.lines, dropped.done) == (("branch 'idea' dropped: 2 memories archived",), 2)
    assert await agent.found(branch="idea") == [1]
    assert (await agent.archive(branch="idea")).lines == ("branch 'idea' holds no memories",)
    assert (await agent.restore(branch="idea")).lines == ("branch 'idea': 2 memories restored",)
    assert sorted(await agent.found(branch="idea")) == [1, 2, 3]


async def test_a_branch_restored_keeps_one_memory_a_subject(agent: Agent) -> None:
    await agent.write("Plan B", branch="idea", subject="plan")
    await agent.archive(branch="idea")
    await agent.write("Plan C", branch="idea", subject="plan")
    assert (await agent.restore(branch="idea")).lines == (
        "branch 'idea': 0 memories restored",
        "#1 is about 'plan', as #2 is: archive that one first",
    )


async def test_dropping_a_branch_needs_its_name_and_never_takes_main_memory(agent: Agent) -> None:
    await agent.write("Main")
    await agent.archive(branch="unheard of")
    await agent.archive(branch=" ")
    assert await agent.found() == [1]


async def test_ids_and_a_goal_may_be_named_together(agent: Agent) -> None:
    await agent.write("Ship in May", "strategic", goal_id="beta")
    await agent.write("A statement")
    changed = await agent.archive(2, goal_id="beta")
    assert changed.lines == ("#2 archived", "goal 'beta' closed: 1 memory archived")
    assert changed.done == 2


async def test_a_reason_is_held_to_what_a_memory_is_held_to(agent: Agent) -> None:
    await agent.write("Likes tea")
    with pytest.raises(RefusedTextError):
        await agent.archive(1, reason="x" * 3000)
    with pytest.raises(InvalidTextError):
        await agent.archive(1, reason="\ud800")
    assert await agent.found() == [1]


async def test_names_that_were_never_written_leave_nothing_in_the_file(agent: Agent) -> None:
    await agent.write("A statement")

    def places(connection: Connection) -> list[tuple[object, ...]]:
        shelves = connection.execute("SELECT namespace, state, branch FROM shelf").fetchall()
        return [tuple(row) for row in shelves + connection.execute("SELECT namespace, name FROM goal").fetchall()]

    before = await agent.database.read(places)
    await agent.archive(branch="b", goal_id="g", namespace="n")
    await agent.restore(branch="b", goal_id="g", namespace="n")
    await agent.feedback("verified", branch="b", namespace="n")
    await agent.recall("x", branch="b", goal_id="g", namespace="n")
    assert await agent.database.read(places) == before
