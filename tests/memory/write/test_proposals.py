"""Core facts that wait for a person."""

import pytest
from support.agent import Agent, Caller, serving
from support.stores import START, Clock

from firmmem.contract import NewMemory, Written
from firmmem.errors import InvalidArgumentError, RefusedTextError
from firmmem.memory.write import core_facts
from firmmem.memory.write.proposals import MOST_WAITING, accept_proposal, list_proposals, propose_fact, refuse_proposal
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

ADA = "The user is called Ada"


@pytest.fixture
def proposing(settings: Settings) -> Settings:
    return settings.model_copy(update={"core_write": "propose"})


async def proposed(agent: Agent, fact: str = ADA, **said: str) -> Written:
    new = NewMemory(fact, "core", **{"namespace": "default", **said})  # type: ignore[arg-type]
    return await propose_fact(agent.database, new, agent.author, now=agent.clock())


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
        assert "already has a core fact" in await caller.call(
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
        f"INSERT OR REPLACE INTO proposal SELECT id, {COLUMNS}, 'accepted', at, NULL FROM proposal",
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
