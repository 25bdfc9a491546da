"""Subjects in a store: found however they are typed, shown as they were."""

import re

import pytest
from support.agent import Agent

from firmmem.settings import Settings
from firmmem.store import migrate
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch, sql, statement_files, transaction


@pytest.mark.parametrize("subject", ["User City", "user_city", "user.сity", "userCity"])
async def test_a_new_memory_of_a_subject_supersedes_the_old_however_it_is_typed(agent: Agent, subject: str) -> None:
    await agent.write("The user lives in Hangzhou", subject="user.city")
    moved = await agent.write("The user lives in Shanghai", subject=subject)
    assert [quote.id for quote in moved.superseded] == [1]


async def test_what_was_typed_is_kept_for_display(agent: Agent, connection: Connection) -> None:
    await agent.write("The user lives in Hangzhou", subject="User City")
    row = connection.execute("SELECT subject, subject_key FROM memory").fetchone()
    assert (row["subject"], row["subject_key"]) == ("User City", "usercity")


async def test_a_core_fact_of_a_subject_is_found_however_it_is_typed(agent: Agent) -> None:
    await agent.write("The user is called Ada", "core", subject="user.name")
    second = await agent.write("The user is called Eve", "core", subject="User Name")
    assert (second.status, second.id) == ("refused", 1)


async def test_a_label_in_another_spelling_is_no_other_label(agent: Agent) -> None:
    await agent.write("The user lives in Hangzhou", subject="user.city")
    again = await agent.write("The user lives in Hangzhou", subject="User City")
    other = await agent.write("The user lives in Hangzhou", subject="user.country")
    assert again.notes == ()
    assert other.notes == ("its subject stays 'user.city', it did not become 'user.country'",)


def test_no_statement_writes_a_subject_without_its_key() -> None:
    for name in statement_files():
        text = sql(name)
        if re.search(r"(UPDATE|INTO) memory\b", text) and re.search(r":subject\b", text):
            assert "subject_key(:subject)" in text, name


def test_subjects_of_an_older_file_get_their_key_and_two_core_facts_of_one_subject_stay(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrate.scripts()
    [number] = [number for number, script in enumerate(known) if "ADD COLUMN subject_key" in script]
    with monkeypatch.context() as older:
        older.setattr(migrate, "scripts", lambda: known[:number])
        older.setattr("firmmem.store.opening.scripts", lambda: known[:number])
        connection = open_connection(settings)
        with transaction(connection):
            connection.execute("INSERT INTO shelf (namespace, state, branch) VALUES ('default', 'active', '')")
            connection.execute("INSERT INTO stream (id, slope) VALUES (999, 0)")
            for id_, subject in ((1, "user.name"), (2, "user name"), (3, "")):
                connection.execute(
                    "INSERT INTO memory (id, shelf, tier, goal, subject, summary, identity, importance, initial_trust, "
                    "trust, strength, created_at, reviewed_at, state_at, half_life, stream, rank_key, fades_at, "
                    "search_id, words, length) VALUES (?, 1, 'core', 0, ?, ?, randomblob(16), 1, 1, 1, 1, 0, 0, 0, 1, "
                    "999, 0, NULL, 1 << 40 | ?, 'x', 1)",
                    (id_, subject, f"fact {id_}", id_),
                )
        connection.close()
    connection = open_connection(settings)
    keys = [row["subject_key"] for row in connection.execute("SELECT subject_key FROM memory ORDER BY id")]
    assert keys == ["username", "username", ""]
    assert [row["id"] for row in fetch(connection, "memory_by_subject", shelf=1, subject="User.Name")] == [1, 2]
    with pytest.raises(Error, match="only by a person"):
        connection.execute("UPDATE memory SET subject_key = 'x' WHERE id = 1")
    connection.close()
