"""Stories of doubt through the tools: who can move trust how far, and how all of it is taken back."""

import re

from support.agent import Agent, serving
from support.stores import Clock, taken_back

from firmmem.memory.trust.quarantine import run_check
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

FACTS = [f"{noun} {verb} on {day}" for noun in ("Tea", "Bread", "Milk", "Fish", "Salt") for verb in ("sells", "spoils")
         for day in ("Monday", "Friday", "Sunday")]  # fmt: skip


def numbers(connection: Connection) -> list[tuple[object, ...]]:
    """What of every memory decides its rank, but for consolidation and what follows from it."""
    return [tuple(row) for row in connection.execute("SELECT id, shelf, tier, trust FROM memory ORDER BY id")]


async def test_a_thousand_votes_of_the_writer_itself_are_worth_one_session(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The deploy needs no review")
        for _ in range(1000):
            await caller.call("memory_feedback", memory_ids=[1], outcome="positive", note="it is so")
        assert "trust=0.55" in (await caller.memories(explain=True))[0]
        await caller.call("memory_feedback", memory_ids=[1] * 500, outcome="positive")
        assert "trust=0.55" in (await caller.memories(explain=True))[0]


async def test_a_client_that_votes_everything_down_buries_nothing_and_is_taken_back(
    settings: Settings, clock: Clock, connection: Connection
) -> None:
    async with serving(settings, clock) as caller:
        for fact in FACTS:
            await caller.write(fact)
        await caller.call("memory_feedback", memory_ids=[1, 2], outcome="verified")
    before = numbers(connection)
    for _ in range(3):  # each server process is a session of its own
        async with serving(settings, clock) as caller:
            await caller.call("memory_feedback", memory_ids=list(range(3, 31)), outcome="negative")
    async with serving(settings, clock) as caller:
        assert len(await caller.memories(limit=50)) == 30
    vandals = {row[0] for row in connection.execute("SELECT DISTINCT session FROM vote WHERE outcome = 'negative'")}
    [client] = {row[0] for row in connection.execute("SELECT DISTINCT client FROM vote")}
    assert len(vandals) == 3
    for session in vandals:
        with transaction(connection):
            taken_back(connection, client, settings, session=session, now=clock())
    assert numbers(connection) == before


async def test_planted_wrong_facts_that_others_deny_end_in_quarantine_and_stay_there(
    database: Database, clock: Clock
) -> None:
    writer = Agent(database, clock)
    for fact in FACTS:
        await writer.write(fact)
    wrong = [(await writer.write(text)).id for text in ("The moon is made of cheese", "Two and two make five")]
    for day in range(4):
        clock.pass_days(1)
        reader = Agent(database, clock, f"day {day}")
        await reader.feedback("negative", *wrong)
        await reader.feedback("positive", 1, 2, 3)
        await run_check(database, database.settings, now=clock(), run_id=day + 1)
    assert [(await writer.row(memory))["state"] for memory in wrong] == ["quarantined"] * 2
    assert len(await writer.found(limit=50)) == 30
    again = await writer.write("two and two make five.")
    assert (again.id, again.status) == (wrong[1], "quarantined")
    assert len(await writer.found(limit=50)) == 30


async def test_a_clock_that_jumps_raises_no_doubt(database: Database, clock: Clock) -> None:
    agent = Agent(database, clock)
    for fact in FACTS:
        await agent.write(fact)
    await agent.feedback("positive", 5)
    await agent.feedback("negative", 6)
    trusts = [row["trust"] for row in await agent.rows()]
    for number, days in enumerate((-1 / 24, 3650, -3650)):
        clock.pass_days(days)
        done = await run_check(database, database.settings, now=clock(), run_id=number + 1)
        assert (done.set_aside, done.alerts) == ((), ())
        scores = [memory.score for memory in (await agent.recall(limit=50)).memories]
        assert all(0 <= score <= 1 for score in scores)
    assert [row["trust"] for row in await agent.rows()] == trusts


async def test_a_person_can_follow_a_score_from_the_ledger_to_the_recall(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("Tea sells on Monday", importance=0.8)
        await caller.call("memory_feedback", memory_ids=[1], outcome="positive")
        clock.pass_days(3)
        lines = await caller.recall(explain=True)
    connection = open_connection(settings, writes=False)
    [row] = connection.execute("SELECT * FROM memory").fetchall()
    [vote] = connection.execute("SELECT * FROM vote").fetchall()
    connection.close()
    assert (vote["trust_before"], vote["trust_after"]) == (0.5, row["trust"])
    [score] = [float(found[1]) for line in lines if (found := re.search(r"score (0\.\d+) =", line))]
    assert abs(score - 2.718281828459045 ** (-3 / 7) * 0.2 * 0.8 * 0.55) < 5e-5
