"""Sessions: they end with the process, with the host's session or with a gap, and everything belongs to one."""

from dataclasses import replace
from typing import Any

import pytest
from support.agent import Agent, serving
from support.stores import AUTHOR, START, Clock, write_one

from firmmem.contract import Author
from firmmem.memory.rows.sessions import HOUR, end_sessions, enter_session
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch, transaction
from firmmem.upkeep.daily import drop_session

HOOK = Author("claude-code", "", "host 1")


def entered(
    connection: Connection, settings: Settings, author: Author, hours: float = 0.0, namespace: str = "default"
) -> str:
    """Return the key of the session that a caller is in some hours later."""
    with transaction(connection):
        return enter_session(connection, namespace, author, settings, now=START + hours * HOUR).key


def sessions(connection: Connection) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute("SELECT * FROM session ORDER BY id")]


def test_a_session_goes_on_until_a_gap_and_is_named_as_its_caller_does(
    connection: Connection, settings: Settings
) -> None:
    assert [entered(connection, settings, AUTHOR, hours) for hours in (0, 3.9, 7.8, 12)] == [
        "a session", "a session", "a session", "a session-2",
    ]  # fmt: skip
    first, second = sessions(connection)
    assert (first["began_at"], first["seen_at"]) == (START, START + 7.8 * HOUR)
    assert (second["client"], second["namespace"], second["began_at"]) == ("a client", "default", START + 12 * HOUR)


def test_the_gap_is_a_setting(connection: Connection, settings: Settings) -> None:
    brief = settings.model_copy(update={"session_gap_hours": 0.5})
    assert len({entered(connection, brief, AUTHOR, hours) for hours in (0, 0.4, 1)}) == 2


def test_namespaces_clients_and_processes_have_sessions_of_their_own(
    connection: Connection, settings: Settings
) -> None:
    entered(connection, settings, AUTHOR)
    entered(connection, settings, AUTHOR, namespace="elsewhere")
    entered(connection, settings, replace(AUTHOR, client="another"))
    entered(connection, settings, replace(AUTHOR, session="another"))
    entered(connection, settings, Author("", ""))
    assert len(sessions(connection)) == 5
    assert sessions(connection)[-1]["key"] == "session-5"


def test_a_clock_set_back_neither_ends_a_session_nor_shortens_it(connection: Connection, settings: Settings) -> None:
    entered(connection, settings, AUTHOR)
    entered(connection, settings, AUTHOR, -100)
    [row] = sessions(connection)
    assert row["seen_at"] == START


def test_a_server_joins_the_session_that_its_hosts_hook_began(connection: Connection, settings: Settings) -> None:
    server = Author("claude-code", "process 1")
    assert entered(connection, settings, HOOK) == "host 1"
    assert entered(connection, settings, server, 1) == "host 1"
    assert entered(connection, settings, HOOK, 2) == "host 1"
    assert entered(connection, settings, Author("claude-code", "process 2"), 2) == "process 2"
    cleared = replace(HOOK, host_session="host 2")
    assert entered(connection, settings, cleared, 3) == "host 2"
    assert entered(connection, settings, server, 3) == "host 2"
    assert [row["process"] for row in sessions(connection)] == ["process 1", "process 2", "process 1"]


def test_a_session_that_has_ended_is_not_gone_on_with(connection: Connection, settings: Settings) -> None:
    entered(connection, settings, HOOK)
    entered(connection, settings, AUTHOR)
    with transaction(connection):
        end_sessions(connection, HOOK, now=START + 60)
    assert [row["ended_at"] for row in sessions(connection)] == [START + 60, None]
    assert entered(connection, settings, HOOK, 1) == "host 1-3"
    with transaction(connection):
        end_sessions(connection, AUTHOR, now=START)
    assert entered(connection, settings, AUTHOR, 1) == "a session-4"


def test_a_memory_belongs_to_the_session_that_wrote_it(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        for hours in (0, 1, 30):
            write_one(connection, settings, f"written after {hours} hours", now=START + hours * HOUR)
    rows = connection.execute("SELECT session.key FROM memory JOIN session ON session.id = memory.session").fetchall()
    assert [row["key"] for row in rows] == ["a session", "a session", "a session-2"]


async def test_votes_of_one_process_on_several_days_count_each(agent: Agent) -> None:
    await agent.write("The backup runs at three")
    for day in (5, 10, 15, 20):
        agent.clock.now = START + day * 24 * HOUR
        changed = await agent.feedback("positive", 1)
    assert changed.lines == ("#1 trust 0.64 → 0.67",)
    again = await agent.feedback("positive", 1)
    assert again.lines == ("#1 trust stays 0.67: this session already said positive",)


async def test_a_recall_keeps_a_session_open_and_hanging_up_ends_it(
    settings: Settings, clock: Clock, connection: Connection
) -> None:
    async with serving(settings, clock) as caller:
        for _ in range(3):
            await caller.recall("anything", namespace="Elsewhere ")
            clock.now += HOUR
    [row] = sessions(connection)
    assert (row["namespace"], row["began_at"], row["seen_at"]) == ("Elsewhere", START, START + 2 * HOUR)
    assert row["ended_at"] == START + 3 * HOUR


@pytest.mark.parametrize("said", ["host", "x" * 5_000])
def test_what_a_host_calls_its_session_is_kept_within_bounds(
    connection: Connection, settings: Settings, said: str
) -> None:
    assert len(entered(connection, settings, Author("c", "", said))) <= 200


def thinned(connection: Connection, *, before: float) -> list[str]:
    """Drop what nothing needs any more of sessions seen before a moment; return the keys that are left."""
    rows = fetch(connection, "session_records", before=before, after=0, chunk=100)
    with transaction(connection):
        for row in rows:
            if row["spare"]:
                drop_session(connection, row["id"])
    return [each["key"] for each in sessions(connection)]


def test_a_session_of_long_ago_that_wrote_nothing_is_dropped_and_others_stay(
    connection: Connection, settings: Settings
) -> None:
    for number in range(3):
        entered(connection, settings, Author("a reader", f"process {number}"))
    entered(connection, settings, HOOK)
    wrote = Author("a writer", "process 9")
    with transaction(connection):
        write_one(connection, settings, "What a session wrote")
        session = enter_session(connection, "default", wrote, settings, now=START)
        connection.execute("UPDATE memory SET session = ?", (session.id,))
    entered(connection, settings, AUTHOR, 0)
    entered(connection, settings, AUTHOR, 48)  # the same process, which must not take up its old name
    everything = [each["key"] for each in sessions(connection)]
    assert thinned(connection, before=START) == everything
    left = thinned(connection, before=START + HOUR)
    assert "process 0" not in left
    assert {"host 1", "process 9", "a session", "a session-7"} <= set(left)
