import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agent import Agent

from firmmem import scoring
from firmmem.errors import InvalidTextError, RefusedTextError
from firmmem.memory.trust.votes import undo_consolidation
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection

OUTCOMES = ["positive", "negative", "verified"]


def others(agent: Agent, count: int) -> list[Agent]:
    return [Agent(agent.database, agent.clock, f"session {number}") for number in range(count)]


async def trust_of(agent: Agent, memory_id: int) -> float:
    return float((await agent.row(memory_id))["trust"])


async def ledger(agent: Agent) -> list[dict[str, object]]:
    def read(connection: Connection) -> list[dict[str, object]]:
        return [dict(row) for row in connection.execute("SELECT * FROM vote ORDER BY id")]

    return await agent.database.read(read)


async def test_trust_moves_by_a_share_of_what_is_left(agent: Agent) -> None:
    for text in ("one", "two", "three"):
        await agent.write(text)
    for memory_id, outcome in enumerate(OUTCOMES, 1):
        await agent.feedback(outcome, memory_id)  # type: ignore[arg-type]
    assert [row["trust"] for row in await agent.rows()] == pytest.approx([0.55, 0.35, 0.7])


async def test_each_vote_stands_in_the_ledger(agent: Agent) -> None:
    await agent.write("Likes tea")
    await agent.feedback("negative", 1, note=" it was coffee ")
    [vote] = await ledger(agent)
    assert vote == {
        "id": 1, "memory": 1, "at": agent.clock.now, "client": "a client", "session": "a session",
        "outcome": "negative", "note": "it was coffee", "trust_before": 0.5, "trust_after": 0.35,
    }  # fmt: skip


async def test_the_ledger_is_only_added_to(agent: Agent) -> None:
    await agent.write("Likes tea")
    await agent.feedback("negative", 1)

    def change(connection: Connection) -> None:
        connection.execute("UPDATE vote SET outcome = 'positive'")

    with pytest.raises(Exception, match="only added to"):
        await agent.database.write(change)


async def test_a_thousand_votes_of_one_session_weigh_as_one(agent: Agent) -> None:
    await agent.write("Likes tea")
    for _ in range(1000):
        await agent.feedback("positive", 1)
    assert await trust_of(agent, 1) == pytest.approx(0.55)
    assert len(await ledger(agent)) == 1
    changed = await agent.feedback("positive", 1)
    assert changed.lines == ("#1 trust stays 0.55: this session already said positive",)


@pytest.mark.parametrize("first", OUTCOMES)
@pytest.mark.parametrize("last", OUTCOMES)
async def test_changing_ones_mind_again_and_again_leaves_only_the_last_vote(
    agent: Agent, first: str, last: str
) -> None:
    await agent.write("changed often")
    await agent.write("said once")
    for _ in range(20):
        await agent.feedback(first, 1)  # type: ignore[arg-type]
        await agent.feedback(last, 1)  # type: ignore[arg-type]
    await agent.feedback(last, 2)  # type: ignore[arg-type]
    often, once = await agent.rows()
    assert often["trust"] == pytest.approx(once["trust"])
    assert often["consolidation"] == pytest.approx(once["consolidation"])


@given(consolidation=st.floats(0, 1), outcome=st.sampled_from(OUTCOMES))
def test_what_a_vote_did_to_consolidation_is_taken_back_when_it_is_replaced(consolidation: float, outcome: str) -> None:
    moved = scoring.move_towards(consolidation, outcome, 0.1, 0.3)
    assert undo_consolidation(moved, outcome, 0.1, 0.3) == pytest.approx(consolidation)


async def test_sessions_add_up(agent: Agent) -> None:
    await agent.write("Likes tea")
    for other in others(agent, 30):
        await other.feedback("positive", 1)
    assert 0.95 < await trust_of(agent, 1) <= 1.0


async def test_verified_makes_a_draft_validated_and_lifts_its_trust(agent: Agent) -> None:
    await agent.write("The limit is 100")
    await agent.feedback("negative", 1)
    changed = await Agent(agent.database, agent.clock, "another").feedback("verified", 1)
    row = await agent.row(1)
    assert (row["tier"], row["trust"]) == ("validated", 0.7)
    assert changed.lines == ("#1 trust 0.35 → 0.70, draft → validated",)
    assert [memory.tier for memory in (await agent.recall()).memories] == ["validated"]


async def test_verified_leaves_firmer_tiers_what_they_are(agent: Agent) -> None:
    await agent.write("A plan", "strategic", goal_id="g")
    await agent.feedback("verified", 1)
    assert ((await agent.row(1))["tier"], await trust_of(agent, 1)) == ("strategic", pytest.approx(0.82))


async def test_core_facts_take_no_feedback(agent: Agent) -> None:
    await agent.write("Is called Ada", "core")
    before = await agent.row(1)
    for outcome in OUTCOMES:
        changed = await agent.feedback(outcome, 1)  # type: ignore[arg-type]
        assert changed.done == 0
        assert changed.lines == ("#1 is a core fact: its trust is 1 and stays so; only a person changes core facts",)
    assert await agent.row(1) == before
    assert await ledger(agent) == []


async def test_what_is_not_active_takes_no_feedback_and_says_why(agent: Agent) -> None:
    for text in ("archived", "superseded", "aside"):
        await agent.write(text)
    await agent.archive(1)
    await agent.write("newer", supersedes=(2,))
    await agent.quarantine(3)
    changed = await agent.feedback("positive", 1, 2, 3, 99, -5)
    assert changed.done == 0
    assert changed.lines == (
        "#1 is archived: nothing was changed",
        "#2 was superseded and is #4 now: give feedback on that one",
        "#3 is quarantined: nothing was changed",
        "#99 not found",
        "#-5 not found",
    )
    assert await ledger(agent) == []


async def test_a_memory_of_another_namespace_is_as_one_that_does_not_exist(agent: Agent) -> None:
    await agent.write("Secret", namespace="A")
    before = await agent.row(1)
    changed = await agent.feedback("negative", 1, 2, namespace="B")
    assert changed.lines == ("#1 not found", "#2 not found")
    assert await agent.row(1) == before


async def test_a_note_is_held_to_what_a_memory_is_held_to(agent: Agent) -> None:
    await agent.write("Likes tea")
    with pytest.raises(RefusedTextError):
        await agent.feedback("positive", 1, note="x" * 3000)
    with pytest.raises(InvalidTextError):
        await agent.feedback("positive", 1, note="a\0b")
    assert await trust_of(agent, 1) == 0.5


async def test_a_branch_is_merged_whole(agent: Agent) -> None:
    await agent.write("Plan A", subject="plan")
    await agent.write("Plan B is cheaper", branch="idea", subject="plan")
    await agent.write("Plan B takes a week", branch="idea")
    await agent.write("Elsewhere", branch="other")
    changed = await agent.feedback("verified", branch="idea")
    assert changed.done == 2
    assert changed.lines == (
        "#2 trust 0.50 → 0.70, draft → validated, merged from branch 'idea', supersedes #1",
        "#3 trust 0.50 → 0.70, draft → validated, merged from branch 'idea'",
    )
    assert sorted(await agent.found()) == [2, 3]
    assert await agent.found("elsewhere", branch="other") == [4]
    assert (await agent.feedback("verified", branch="idea")).lines == ("branch 'idea' holds no memories",)


async def test_one_draft_of_a_branch_is_merged_alone(agent: Agent) -> None:
    await agent.write("Plan B is cheaper", branch="idea")
    await agent.write("Plan B takes a week", branch="idea")
    await agent.feedback("verified", 2)
    assert await agent.found() == [2]
    assert sorted(await agent.found(branch="idea")) == [1, 2]


@pytest.mark.parametrize("outcome", ["positive", "negative"])
async def test_other_votes_on_a_branch_merge_nothing(agent: Agent, outcome: str) -> None:
    await agent.write("Plan B", branch="idea")
    await agent.feedback(outcome, branch="idea")  # type: ignore[arg-type]
    assert await agent.found() == []
    assert (await agent.row(1))["branch"] == "idea"


async def test_what_a_branch_draft_was_to_supersede_is_superseded_when_it_is_merged(agent: Agent) -> None:
    await agent.write("The office is in Berlin")
    await agent.write("The office moves to Lisbon", branch="idea", supersedes=(1,))
    assert await agent.found() == [1]
    await agent.feedback("verified", 2)
    assert await agent.found() == [2]
    assert (await agent.row(1))["superseded_by"] == 2


async def test_a_merge_says_nothing_of_what_was_superseded_within_the_branch(agent: Agent) -> None:
    await agent.write("Plan B takes a week", branch="idea")
    await agent.write("Plan B takes a month", branch="idea", supersedes=(1,))
    changed = await agent.feedback("verified", branch="idea")
    assert changed.lines == ("#2 trust 0.50 → 0.70, draft → validated, merged from branch 'idea'",)


async def test_a_merged_draft_does_not_supersede_what_is_firmer(agent: Agent) -> None:
    await agent.write("Plan A", "strategic", goal_id="g", subject="plan")
    await agent.write("Plan B", branch="idea", subject="plan")
    changed = await agent.feedback("verified", branch="idea")
    assert changed.lines[0].endswith("merged from branch 'idea', in conflict with #1")
    assert sorted(await agent.found()) == [1, 2]


async def test_a_draft_merged_into_an_equal_text_votes_for_that_one(agent: Agent) -> None:
    await agent.write("The limit is 100")
    await agent.write("the limit is 100.", branch="idea")
    changed = await agent.feedback("verified", 2)
    assert changed.lines[0].endswith("merged into #1, which says the same")
    row = await agent.row(1)
    assert (row["tier"], row["trust"], row["state"]) == ("validated", 0.7, "active")
    assert (await agent.row(2))["superseded_by"] == 1
    assert await agent.found() == [1]
    assert [(vote["memory"], vote["outcome"]) for vote in await ledger(agent)] == [(2, "verified"), (1, "verified")]
    await Agent(agent.database, agent.clock, "another").feedback("positive", 1)
    assert await trust_of(agent, 1) == pytest.approx(0.73)


async def test_a_draft_merged_into_an_archived_equal_text_brings_it_back(agent: Agent) -> None:
    await agent.write("The limit is 100")
    await agent.archive(1)
    await agent.write("The limit is 100", branch="idea")
    await agent.feedback("verified", branch="idea")
    assert await agent.found() == [1]


async def test_a_draft_is_not_buried_under_an_equal_text_that_is_set_aside(agent: Agent) -> None:
    await agent.write("The limit is 100")
    await agent.quarantine(1)
    await agent.write("The limit is 100", branch="idea")
    changed = await agent.feedback("verified", branch="idea")
    assert changed.lines[0].endswith("not merged: #1 says the same and is in quarantine")
    assert await agent.found(branch="idea") == [2]
    assert (await agent.row(1))["state"] == "quarantined"


@pytest.mark.parametrize(
    "statement", ["DELETE FROM memory", "UPDATE memory SET summary = 'x'", "UPDATE memory SET trust = 0"]
)
async def test_core_is_kept_by_the_file_and_not_only_by_this_program(agent: Agent, statement: str) -> None:
    await agent.write("Is called Ada", "core")
    before = await agent.row(1)

    def attack(connection: Connection) -> None:
        connection.execute(statement)

    with pytest.raises(Exception, match="changed only by a person") as caught:
        await agent.database.write(attack)
    assert isinstance(caught.value.__cause__, Error)
    assert await agent.row(1) == before
