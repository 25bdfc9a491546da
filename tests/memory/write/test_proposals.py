"""Core facts that wait for a person."""

from typing import Any

import pytest
from support.agent import Agent, Caller, serving
from support.stores import START, Clock

from firmmem.contract import NewMemory, Written
from firmmem.errors import InvalidArgumentError, RefusedTextError
from firmmem.memory.write import core_facts
from firmmem.memory.write.proposals import (
    MOST_WAITING,
    accept_proposal,
    list_proposals,
    offer_fact,
    refuse_proposal,
    store_proposal,
)
from firmmem.memory.write.write import check_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

ADA = "The user is called Ada"


@pytest.fixture
def proposing(settings: Settings) -> Settings:
    return settings.model_copy(update={"core_write": "propose"})


async def proposed(agent: Agent, fact: str = ADA, **said: str) -> Written:
    new = NewMemory(fact, "core", **{"namespace": "default", **said})  # type: ignore[arg-type]
    kept = check_memory(new, agent.database.settings)
    return await agent.database.write(store_proposal, kept, agent.author, now=agent.clock())


async def offered(agent: Agent, fact: str, **said: Any) -> Written:
    new = NewMemory(fact, "core", **{"namespace": "default", **said})
    return await offer_fact(agent.database, new, agent.author, now=agent.clock())


def by_person(settings: Settings) -> Connection:
    return open_connection(settings, by_person=True)


async def test_a_proposal_is_kept_apart_and_recalled_by_nobody(proposing: Settings, clock: Clock) -> None:
    async with serving(proposing, clock) as caller:
        said = await caller.call("write_core_fact", fact=ADA)
        assert said == "proposal 1 waits for a person (firmmem core accept 1): it is no memory yet"
        assert await caller.call("write_core_fact", fact=" the user is called ADA ") == said
        assert await caller.memories() == []
        assert await caller.memories("Ada", include_archived=True) == []
        assert await caller.write("Likes tea") == "stored #1 draft"


async def test_an_accepted_proposal_is_a_core_fact(proposing: Settings, clock: Clock) -> None:
    async with serving(proposing, clock) as caller:
        await caller.call("write_core_fact", fact=ADA, subject="user.name", tags=["profile"])
        connection = by_person(proposing)
        with transaction(connection):
            written = accept_proposal(connection, 1, proposing, namespace="default", now=START)
        assert written.status == "stored"
        [line] = await caller.memories()
        assert ADA in line
        assert "[profile]" in line
        assert await caller.call("write_core_fact", fact=ADA) == "already known: #1 core"
        assert 'proposal 2 to replace #1 core {user.name} "The user is called Ada" waits' in await caller.call(
            "write_core_fact", fact="Is called Bo", subject="user.name"
        )
        connection.close()


async def test_a_refused_proposal_stays_refused_until_a_person_accepts_it(agent: Agent, settings: Settings) -> None:
    await proposed(agent)
    connection = by_person(settings)
    with transaction(connection):
        refuse_proposal(connection, 1, namespace="default", now=START)
    assert (await proposed(agent)).status == "declined"
    assert list_proposals(connection, "default") == []
    assert len(list_proposals(connection, "default", everything=True)) == 1
    with transaction(connection):
        assert accept_proposal(connection, 1, settings, namespace="default", now=START).status == "stored"
    connection.close()


async def test_what_a_person_removed_is_not_proposed(agent: Agent, settings: Settings) -> None:
    await agent.write(ADA, "core")
    connection = by_person(settings)
    with transaction(connection):
        core_facts.remove_fact(connection, 1, namespace="default", now=START)
    assert (await proposed(agent)).status == "removed"
    connection.close()


async def test_what_is_in_quarantine_is_not_proposed(agent: Agent) -> None:
    await agent.write(ADA)
    await agent.quarantine(1)
    assert (await proposed(agent)).status == "quarantined"


async def test_a_memory_of_the_same_text_becomes_the_core_fact(agent: Agent, settings: Settings) -> None:
    await agent.write(ADA)
    await proposed(agent)
    assert (await agent.row(1))["tier"] == "draft"
    connection = by_person(settings)
    with transaction(connection):
        written = accept_proposal(connection, 1, settings, namespace="default", now=START)
    assert (written.id, written.status, (await agent.row(1))["tier"]) == (1, "promoted", "core")
    connection.close()


async def test_a_proposal_whose_subject_was_taken_meanwhile_waits_on(agent: Agent, settings: Settings) -> None:
    await proposed(agent, subject="user.name")
    connection = by_person(settings)
    with transaction(connection):
        core_facts.add_fact(connection, "Is called Bo", settings, namespace="default", subject="user.name", now=START)
        written = accept_proposal(connection, 1, settings, namespace="default", now=START)
    assert written.status == "refused"
    assert [row["state"] for row in list_proposals(connection, "default")] == ["waiting"]
    connection.close()


async def test_a_proposal_is_decided_in_its_namespace_and_once(agent: Agent, settings: Settings) -> None:
    await proposed(agent, namespace="A")
    connection = by_person(settings)
    with pytest.raises(InvalidArgumentError, match="no proposal 1 in namespace 'default'"), transaction(connection):
        accept_proposal(connection, 1, settings, namespace="default", now=START)
    with pytest.raises(InvalidArgumentError, match="no proposal 1 in namespace 'default'"), transaction(connection):
        refuse_proposal(connection, 1, namespace="default", now=START)
    with transaction(connection):
        accept_proposal(connection, 1, settings, namespace="A", now=START)
    with pytest.raises(InvalidArgumentError, match="accepted as #1"), transaction(connection):
        refuse_proposal(connection, 1, namespace="A", now=START)
    connection.close()


COLUMNS = "namespace, fact, subject, tags, identity, client, session, at"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE proposal SET state = 'accepted'",
        "UPDATE proposal SET fact = 'Is called Eve'",
        f"INSERT OR REPLACE INTO proposal SELECT id, {COLUMNS}, 'accepted', at, NULL, NULL FROM proposal",
        f"INSERT OR REPLACE INTO proposal (id, {COLUMNS}) SELECT id, {COLUMNS} FROM proposal",
        "DELETE FROM proposal",
    ],
)
async def test_only_a_person_decides_and_the_file_holds_to_it(agent: Agent, statement: str) -> None:
    await proposed(agent)

    def attack(connection: Connection) -> None:
        connection.execute(statement)

    with pytest.raises(Exception, match="only by a person"):
        await agent.database.write(attack)


async def test_a_flood_of_proposals_is_told_to_stop(agent: Agent) -> None:
    for number in range(MOST_WAITING):
        assert (await proposed(agent, f"fact number {number}")).status == "proposed"
    assert (await proposed(agent, "one too many")).status == "crowded"
    assert (await proposed(agent, "fact number 3")).status == "proposed"
    assert (await proposed(agent, "elsewhere", namespace="B")).status == "proposed"


async def test_a_proposal_is_held_to_what_a_memory_is_held_to(agent: Agent) -> None:
    with pytest.raises(RefusedTextError):
        await proposed(agent, "User: hi\nAssistant: hello, how are you?")


async def test_other_tools_are_no_way_round(proposing: Settings, clock: Clock) -> None:
    async with serving(proposing, clock) as caller:
        await writes(caller)
        assert not any(line.split()[1] == "core" for line in await caller.memories(limit=50))


async def writes(caller: Caller) -> None:
    await caller.write(ADA, verified=True)
    await caller.call("write_core_fact", fact=ADA)
    await caller.call("memory_feedback", memory_ids=[1], outcome="verified")
    await caller.call("write_strategic_memory", summary=ADA, goal_id="core")


PEANUTS = "The user is allergic to peanuts"


@pytest.mark.parametrize(
    ("old", "subject", "new"),
    [
        ("The user lives in Hangzhou", "user.city", "The user is at home in Shanghai"),
        ("The user lives in Hangzhou", "", "The user has moved to Shanghai"),
        (PEANUTS, "", "The user is not allergic to peanuts"),
        ("用户对花生过敏", "", "用户对花生不过敏"),
        (PEANUTS, "", "用户对花生不过敏"),
    ],
)
async def test_a_core_fact_that_would_change_another_waits_for_a_person_and_names_it(
    agent: Agent, old: str, subject: str, new: str
) -> None:
    await agent.write(old, "core", subject=subject)
    written = await offered(agent, new, subject="User City" if subject else "")
    assert (written.status, [quote.id for quote in written.conflicting]) == ("proposed", [1])
    assert (await agent.recall()).proposed == {1: 1}
    assert len(await agent.rows()) == 1


async def test_other_core_facts_are_added_as_before(agent: Agent) -> None:
    await agent.write(PEANUTS, "core")
    for fact in ("The user is allergic to cats", "The user's name is Li Wei", "用户说粤语"):
        assert (await offered(agent, fact)).status == "stored"
    assert (await offered(agent, PEANUTS)).status == "known"


async def test_across_languages_the_model_says_which_fact_is_meant(agent: Agent) -> None:
    await agent.write(PEANUTS, "core")
    await agent.write("The user lives in Berlin", "core")
    near = ((1, 0.35), (2, 0.2))
    assert [quote.id for quote in (await offered(agent, "用户对花生不过敏", near=near)).conflicting] == [1]
    assert (await offered(agent, "用户不吃猪肉", near=((1, 0.2), (2, 0.18)))).status == "stored"


async def test_an_accepted_change_keeps_what_the_fact_said_as_history(agent: Agent, settings: Settings) -> None:
    await agent.write("The user lives in Hangzhou", "core", subject="user.city", tags=("home",))
    await offered(agent, "The user lives in Shanghai", subject="user.city")
    connection = by_person(settings)
    [row] = list_proposals(connection, "default")
    assert (row["replaces"], row["replaced"]) == (1, "The user lives in Hangzhou")
    with transaction(connection):
        written = accept_proposal(connection, 1, settings, namespace="default", now=START)
    assert (written.id, written.status) == (1, "changed")
    facts = core_facts.list_core_facts(connection, "default", core_facts.EVERY_STATE)
    assert [(fact["id"], fact["summary"], fact["superseded_by"]) for fact in facts] == [
        (1, "The user lives in Shanghai", None),
        (2, "The user lives in Hangzhou", 1),
    ]
    assert (await agent.recall()).proposed == {}
    connection.close()


async def test_a_refused_change_leaves_the_fact_and_its_mark_goes(agent: Agent, settings: Settings) -> None:
    await agent.write(PEANUTS, "core")
    await offered(agent, "The user is not allergic to peanuts")
    connection = by_person(settings)
    with transaction(connection):
        refuse_proposal(connection, 1, namespace="default", now=START)
    connection.close()
    [memory] = (await agent.recall()).memories
    assert (memory.summary, (await agent.recall()).proposed) == (PEANUTS, {})


async def test_a_change_of_a_fact_that_is_gone_becomes_a_fact_of_its_own(agent: Agent, settings: Settings) -> None:
    await agent.write("The user lives in Hangzhou", "core", subject="user.city")
    await offered(agent, "The user lives in Shanghai", subject="user.city")
    connection = by_person(settings)
    with transaction(connection):
        core_facts.remove_fact(connection, 1, namespace="default", now=START)
        written = accept_proposal(connection, 1, settings, namespace="default", now=START)
    assert (written.id, written.status) == (2, "stored")
    connection.close()


async def test_beyond_the_cap_of_a_session_or_a_namespace_facts_wait_and_the_answer_says_why(
    settings: Settings, clock: Clock
) -> None:
    capped = settings.model_copy(update={"core_session_cap": 3, "core_cap": 5})
    async with serving(capped, clock) as caller:
        said = [await caller.call("write_core_fact", fact=f"Fact {number} about thing {number}") for number in range(4)]
        assert [line.split()[0] for line in said] == ["stored", "stored", "stored", "proposal"]
        assert "this session has added 3 core facts" in said[-1]
        clock.pass_days(1)
        said = [await caller.call("write_core_fact", fact=f"Note {number} on item {number}") for number in range(3)]
        assert [line.split()[0] for line in said] == ["stored", "stored", "proposal"]
        assert "the namespace has 5 core facts" in said[-1]


async def test_recall_shows_the_old_fact_and_that_a_change_is_proposed(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.call("write_core_fact", fact="The user lives in Hangzhou", subject="user.city")
        said = await caller.call("write_core_fact", fact="The user lives in Shanghai", subject="User City")
        assert said.startswith(
            'proposal 1 to replace #1 core {user.city} "The user lives in Hangzhou" waits for a person'
        )
        [line] = [line for line in await caller.recall() if "Hangzhou" in line]
        assert "(a change is proposed, proposal 1: ask the user)" in line
        assert "Shanghai" not in "\n".join(await caller.recall("where does the user live"))
