"""What no SQL may do to ledgers and shelves: from an agent's connection, and from a program that is not ours."""

import json
from pathlib import Path

import pytest
from support.stores import AUTHOR, START, YOUNG, in_another_process, planted, write_one

from firmmem.memory.life.review import LOGGED
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch, run, transaction

ATTEMPTS = {
    "delete votes": "DELETE FROM vote",
    "change a vote": "UPDATE vote SET outcome = 'negative'",
    "empty a note": "UPDATE vote SET note = ''",
    "replace a vote": "INSERT OR REPLACE INTO vote "
    "SELECT id, memory, at, client, session, 'negative', note, 0, 0 FROM vote",
    "delete moves": "DELETE FROM move",
    "change a move": "UPDATE move SET cause = 'goal'",
    "replace a move": "REPLACE INTO move SELECT * FROM move",
    "delete a revocation": "DELETE FROM revocation",
    "change a revocation": "UPDATE revocation SET reason = 'none'",
    "delete reasons of quarantine": "DELETE FROM quarantine",
    "replace a reason of quarantine": "REPLACE INTO quarantine SELECT * FROM quarantine",
    "delete reviews": "DELETE FROM review",
    "say that a shelf has no core facts": "UPDATE shelf SET core = 0",
    "say that a shelf has more core facts": "UPDATE shelf SET core = core + 1",
    "hide a shelf": "UPDATE shelf SET namespace = 'hidden' WHERE core = 0",
    "hide every shelf": "UPDATE shelf SET namespace = 'hidden' || id",
    "renumber a shelf": "UPDATE shelf SET id = id + 100 WHERE core = 0",
    "delete a shelf": "DELETE FROM shelf WHERE core = 0",
    "replace a shelf by its id": "INSERT OR REPLACE INTO shelf (id, namespace, state, branch) "
    "SELECT id, 'hidden', state, branch FROM shelf",
    "replace a shelf by its name": "REPLACE INTO shelf (namespace, state, branch) "
    "SELECT namespace, state, branch FROM shelf",
    "a shelf that begins with core facts": "INSERT INTO shelf (namespace, state, branch, core) "
    "VALUES ('new', 'active', '', 5)",
}
TABLES = ("vote", "move", "revocation", "quarantine", "review", "shelf", "memory")


def rows(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    return {name: [tuple(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in TABLES}


@pytest.fixture
def filled(connection: Connection, settings: Settings) -> Connection:
    """A file with a core fact, and a draft that has something in every ledger."""
    with transaction(connection):
        write_one(connection, settings, "The user's name is Ann", tier="core")
        draft = write_one(connection, settings, "The cat sleeps on the sofa").id
        connection.execute(
            "INSERT INTO vote (memory, at, client, session, outcome, note, trust_before, trust_after) "
            "VALUES (?, ?, ?, ?, 'positive', 'seen', 0.5, 0.55)",
            (draft, START, AUTHOR.client, AUTHOR.session),
        )
        connection.execute("INSERT INTO revocation VALUES (1, ?, 'a mistake', 0.55, 0.5)", (START,))
        run(connection, "quarantine_insert", memory=draft, run=1, now=START, metric="trust", value=0.1, centre=0.5,
            spread=0.1, n=20, reason="far below")  # fmt: skip
        run(connection, "review_insert", memory=draft, at=START, decay=0.5, consolidation=0.1)
        [row] = fetch(connection, "memory", id=draft)
        move_to_shelf(connection, row, ensure_shelf(connection, "default", "archived", ""), now=START, cause="agent")
    return connection


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_statement_of_an_agents_connection_changes_a_ledger_or_a_shelf(filled: Connection, attempt: str) -> None:
    before = rows(filled)
    with pytest.raises(Error), transaction(filled):
        filled.execute(ATTEMPTS[attempt])
    assert rows(filled) == before


@pytest.mark.parametrize("library", ["pysqlite3", "sqlite3"])
def test_no_statement_of_another_program_changes_a_ledger_or_a_shelf(
    filled: Connection, settings: Settings, library: str
) -> None:
    if library == "pysqlite3":
        pytest.importorskip("pysqlite3")
    before = rows(filled)
    done = in_another_process(
        f"""
        import json, sys
        import {library} as library
        for attempt in json.loads(sys.argv[2]):
            file = library.connect(sys.argv[1], isolation_level=None, timeout=5)
            try:
                file.execute(attempt)
            except library.Error as error:
                pass
            else:
                print("not refused:", attempt)
            file.close()
        """,
        settings.db,
        json.dumps(list(ATTEMPTS.values())),
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert rows(filled) == before


@pytest.mark.parametrize("table", ["revocation", "review"])
def test_what_is_written_a_second_time_is_ignored(filled: Connection, table: str) -> None:
    before = rows(filled)
    with transaction(filled):
        filled.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
        filled.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM {table}")
    assert rows(filled) == before


def test_a_ledger_goes_with_its_memory(filled: Connection) -> None:
    with transaction(filled):
        filled.execute("DELETE FROM memory WHERE tier = 'draft'")
    left = rows(filled)
    assert [left[name] for name in ("vote", "move", "revocation", "quarantine", "review")] == [[], [], [], [], []]


def test_a_persons_connection_empties_what_was_said_and_changes_nothing_else(
    filled: Connection, settings: Settings
) -> None:
    filled.close()
    person = open_connection(settings, by_person=True)
    with transaction(person):
        person.execute("UPDATE vote SET note = ''")
        person.execute("UPDATE revocation SET reason = ''")
        person.execute("UPDATE move SET reason = '', was_reason = ''")
    for statement in (
        "UPDATE vote SET note = 'another'",
        "UPDATE vote SET note = '', outcome = 'negative'",
        "UPDATE revocation SET trust_after = 1",
        "UPDATE move SET reason = '', to_tier = 'core'",
    ):
        with pytest.raises(Error), transaction(person):
            person.execute(statement)
    with transaction(person):
        for name in ("revocation", "vote", "move", "quarantine", "review"):
            person.execute(f"DELETE FROM {name}")
    person.close()


def test_the_log_of_reviews_is_cut_to_the_latest_as_the_guard_allows(connection: Connection) -> None:
    with transaction(connection):
        memory = planted(connection, YOUNG)
        for number in range(LOGGED + 5):
            run(connection, "review_insert", memory=memory, at=START + number, decay=0.5, consolidation=0.1)
        run(connection, "review_prune", memory=memory, most=LOGGED)
        assert connection.execute("SELECT count(*), min(at) FROM review").fetchone()[:] == (LOGGED, START + 5)


def test_a_person_edits_moves_and_removes_core_facts_and_the_counts_stay_right(
    connection: Connection, settings: Settings, tmp_path: Path
) -> None:
    del tmp_path
    connection.close()
    person = open_connection(settings, by_person=True)
    with transaction(person):
        ids = [write_one(person, settings, f"Fact number {number}", tier="core").id for number in range(3)]
        person.execute("UPDATE memory SET length = length + 1 WHERE id = ?", (ids[0],))
        shelf = ensure_shelf(person, "default", "archived", "")
        person.execute("UPDATE memory SET shelf = ?, search_id = ? << 40 | id WHERE id = ?", (shelf, shelf, ids[1]))
        person.execute("DELETE FROM memory WHERE id = ?", (ids[2],))
        counts = dict(person.execute("SELECT state, core FROM shelf").fetchall())
    assert counts == {"active": 1, "archived": 1}
    person.close()
