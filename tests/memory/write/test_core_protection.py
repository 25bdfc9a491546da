"""Core facts are changed only by a person: whatever an agent's connection, or another program, sends to SQLite."""

from collections.abc import Iterator

import pytest
from support.stores import START, planted, write_one

from firmmem.memory.rows.ranking_keys import begin_rekey, rekey_chunk
from firmmem.memory.write import core_facts
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error, connect
from firmmem.store.statements import Connection, fetch, transaction

COLUMNS = (
    "shelf, tier, goal, subject, summary, tags, identity, source, suspect, importance, initial_trust, trust, "
    "consolidation, recall_count, strength, created_at, reviewed_at, state_at, state_cause, state_reason, "
    "superseded_by, supersedes, half_life, stream, rank_key, search_id, words, repeated, length"
)


def copied(of: int = 2, **changed: str) -> str:
    """Return a SELECT of one memory's columns, some of them changed: what an INSERT can take."""
    columns = [changed.get(column, column) for column in COLUMNS.split(", ")]
    return f"SELECT {changed.get('id', '90')}, {', '.join(columns)} FROM memory WHERE id = {of}"


def core_value(column: str) -> str:
    return f"(SELECT {column} FROM memory WHERE id = 1)"


INTO = f"INTO memory (id, {COLUMNS})"
ATTEMPTS = {
    "edit the text": "UPDATE memory SET summary = 'Bob' WHERE id = 1",
    "edit the words": "UPDATE memory SET words = 'bob' WHERE id = 1",
    "edit all that decays": "UPDATE memory SET trust = trust * 0.9",
    "touch every row": "UPDATE memory SET importance = importance",
    "demote": "UPDATE memory SET tier = 'draft' WHERE id = 1",
    "move to another shelf": "UPDATE memory SET shelf = 2 WHERE id = 1",
    "supersede": "UPDATE memory SET superseded_by = 2 WHERE id = 1",
    "give another id": "UPDATE memory SET id = 77 WHERE id = 1",
    "review": "UPDATE memory SET recall_count = 1, reviewed_at = 0 WHERE tier = 'core'",
    "delete": "DELETE FROM memory WHERE id = 1",
    "delete all": "DELETE FROM memory",
    "replace by id": f"REPLACE {INTO} {copied(id='1', identity='randomblob(16)', search_id='999')}",
    "insert or replace by id": f"INSERT OR REPLACE {INTO} {copied(of=1, id='1', summary=repr('Bob'))}",
    "replace by identity": f"REPLACE {INTO} {copied(identity=core_value('identity'), search_id='999')}",
    "replace by search id": f"REPLACE {INTO} {copied(search_id=core_value('search_id'), identity='randomblob(16)')}",
    "replace by subject": f"REPLACE {INTO} {copied(of=1, identity='randomblob(16)', search_id='999')}",
    "upsert": f"INSERT {INTO} {copied(id='1', identity='randomblob(16)', search_id='999')} "
    "ON CONFLICT (id) DO UPDATE SET summary = 'Bob'",
    "update or replace the id": "UPDATE OR REPLACE memory SET id = 1 WHERE id = 2",
    "update or replace the identity": f"UPDATE OR REPLACE memory SET identity = {core_value('identity')} WHERE id = 2",
    "update or replace the search id": "UPDATE OR REPLACE memory SET search_id = "
    f"{core_value('search_id')} WHERE id = 2",
    "update or replace the subject": "UPDATE OR REPLACE memory SET tier = 'core', trust = 1.0, subject = 'user.name' "
    "WHERE id = 2",
    "put the shelf into another namespace": "UPDATE shelf SET namespace = 'elsewhere'",
    "archive the shelf": "UPDATE shelf SET state = 'archived' WHERE id = 1",
    "renumber the shelf": "UPDATE shelf SET id = 50 WHERE id = 1",
    "delete the shelf": "DELETE FROM shelf WHERE id = 1",
}


@pytest.fixture
def protected(connection: Connection, settings: Settings) -> Iterator[Connection]:
    """A store with the core fact #1 and the draft #2."""
    with transaction(connection):
        said = {"tier": "core", "subject": "user.name", "tags": ("person",)}
        assert write_one(connection, settings, "The user's name is Ann", **said).id == 1
        assert write_one(connection, settings, "Something to be forgotten").id == 2
    yield connection
    connection.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")


def whole(connection: Connection) -> list[tuple[object, ...]]:
    """Return the core fact and what finds it."""
    rows = connection.execute("SELECT * FROM memory WHERE id = 1").fetchall()
    rows += connection.execute("SELECT * FROM memory_tag WHERE memory = 1").fetchall()
    rows += connection.execute("SELECT rowid FROM memory_words WHERE memory_words MATCH 'ann'").fetchall()
    rows += connection.execute("SELECT id, namespace, state, branch, core FROM shelf WHERE core > 0").fetchall()
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("program", ["an agent's connection", "another program"])
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_core_fact_is_the_same_after(protected: Connection, settings: Settings, attempt: str, program: str) -> None:
    before = whole(protected)
    assert len(before) == 4
    other = open_connection(settings) if program == "an agent's connection" else raw(settings)
    with pytest.raises(Error, match=r"changed only by a person|no such function: by_person"):
        other.execute(ATTEMPTS[attempt])
    other.close()
    assert whole(protected) == before


def raw(settings: Settings) -> Connection:
    """Connect as a program does that knows nothing of FirmMem: no functions, SQLite's own defaults."""
    return connect(settings.db, isolation_level=None)


def test_what_a_tool_sends_for_the_same_subject_or_text_changes_nothing(
    protected: Connection, settings: Settings
) -> None:
    before = whole(protected)
    with transaction(protected):
        twice = write_one(protected, settings, "The user's name is Bob", tier="core", subject="user.name")
        again = write_one(protected, settings, "the user's NAME is  Ann", tags=("other",), subject="user.alias")
        replacing = write_one(protected, settings, "The user is called Bob", supersedes=(1,))
    assert (twice.id, twice.status) == (1, "refused")
    assert (again.id, again.status) == (1, "known")
    assert replacing.superseded == ()
    assert whole(protected) == before


def test_an_update_that_leaves_core_out_is_done(protected: Connection) -> None:
    protected.execute("UPDATE memory SET trust = trust * 0.9 WHERE tier <> 'core'")
    assert [row["trust"] for row in protected.execute("SELECT trust FROM memory ORDER BY id")] == [1.0, 0.45]


def test_keys_are_computed_anew_for_core_too(protected: Connection, settings: Settings) -> None:
    shorter = settings.model_copy(update={"draft_half_life": 1.0})
    before = whole(protected)
    with transaction(protected):
        assert begin_rekey(protected, shorter)
        while rekey_chunk(protected, shorter):
            pass
    assert whole(protected) == before
    protected.execute("UPDATE memory SET rank_key = 0.5, stream = 999, half_life = 9e999 WHERE id = 1")


def test_a_person_edits_removes_and_brings_back(protected: Connection, settings: Settings) -> None:
    person = open_connection(settings, by_person=True)
    with transaction(person):
        core_facts.edit_fact(person, 1, "The user's name is Ann B.", settings, namespace="default", now=START)
    assert fetch(person, "memory_by_id", ids="[1]", namespace="default")[0]["summary"] == "The user's name is Ann B."
    with transaction(person):
        core_facts.remove_fact(person, 1, namespace="default", now=START)
        assert core_facts.list_core_facts(person, "default") == []
        assert (
            core_facts.add_fact(person, "The user's name is Ann B.", settings, namespace="default", now=START).id == 1
        )
    assert [row["id"] for row in core_facts.list_core_facts(person, "default")] == [1]
    person.close()


def test_a_draft_becomes_core_where_no_fact_stands_in_its_way(protected: Connection, settings: Settings) -> None:
    with transaction(protected):
        promoted = write_one(protected, settings, "Something to be forgotten", tier="core")
        planted(protected, summary="One more")
    assert (promoted.id, promoted.tier, promoted.status) == (2, "core", "promoted")


def test_the_trust_ledger_is_only_added_to(protected: Connection) -> None:
    protected.execute(
        "INSERT INTO vote (memory, at, client, session, outcome, trust_before, trust_after) "
        "VALUES (2, 0, '', '', 'positive', 0.5, 0.55)"
    )
    with pytest.raises(Error, match="only added to"):
        protected.execute("UPDATE vote SET outcome = 'negative'")
