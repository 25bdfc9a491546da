"""Erase: what a person erased is in no byte of any file, and a tombstone keeps its place."""

import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.stores import START, in_another_process, write_one

from firmmem.contract import Author, Question
from firmmem.errors import BusyFileError, InvalidArgumentError
from firmmem.memory.exchange.arriving import Imported
from firmmem.memory.exchange.export import export_lines
from firmmem.memory.exchange.import_ import import_file
from firmmem.memory.hand.action import record_action
from firmmem.memory.hand.by_person import archive_by_person, restore_by_person, vote_by_person
from firmmem.memory.hand.erase import erase_targets, find_targets, finish_erasures, list_unfinished
from firmmem.memory.hand.erase_copies import erase_in_copy, find_copies, remove_leftovers
from firmmem.memory.hand.listing import Listing, list_memories
from firmmem.memory.hand.undo import TakingBack, find_last_action
from firmmem.memory.life.undo import require_undoable
from firmmem.memory.recall.recall import find
from firmmem.memory.trust.feedback import record_feedback
from firmmem.memory.write.edit import Edit, edit_memory
from firmmem.settings import Settings
from firmmem.store.backup import back_up, restore
from firmmem.store.erasing import COMPANIONS, files_that_hold
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error, connect
from firmmem.store.statements import Connection, transaction

SECRET = "The zanzibarish vault of 奥地利银行 opens with quokkamole 4711"  # noqa: S105 - it is one, for a test
EDITED = "The zanzibarish vault of 奥地利银行 opens with wombatique 4712"
WORDS = ("zanzibarish", "nzibarish", "quokkamole", "wombatique", "奥地利", "地利", "marsupialis", "tagglewort")
SPACE: dict[str, Any] = {"namespace": "default", "now": START}


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    """A store in which one memory, the second, was written, edited, voted on, moved and proposed."""
    connection = open_connection(settings, by_person=True)
    for number in range(300):  # the index has several parts, and the table several pages
        with transaction(connection):
            write_one(connection, settings, f"Note {number} about the garden, the shed and the well", tags=("garden",))
            if number == 0:
                said = {"tags": ("tagglewort",), "subject": "vault.marsupialis", "tier": "validated"}
                write_one(connection, settings, SECRET, **said)
    with transaction(connection), record_action(connection, "edit", now=START):
        edit_memory(connection, 2, Edit(EDITED), settings, **SPACE)
    with transaction(connection):
        author = Author("a client", "a session")
        said = {"namespace": "default", "branch": "", "note": "marsupialis was right", "now": START}
        record_feedback(connection, [2], "positive", author, settings, **said)
        vote_by_person(connection, [2], "negative", settings, note="no marsupialis", **SPACE)
        archive_by_person(connection, [2], settings, reason="marsupialis moved", **SPACE)
        restore_by_person(connection, [2], settings, reason="marsupialis is back", **SPACE)
        connection.execute("INSERT INTO encoder (id, fingerprint, name) VALUES (1, 'f', 'n')")
        connection.execute(
            "INSERT INTO vector (memory, encoder, shelf, language, packed) VALUES (2, 1, 1, 'en', x'6d61727375')"
        )
        connection.execute(
            "INSERT INTO proposal (namespace, fact, subject, identity, client, session, at, memory) "
            "SELECT 'default', summary, 'vault.marsupialis', identity, '', '', 0, id FROM memory WHERE id = 2"
        )
        connection.execute("INSERT INTO conflict (memory, other) VALUES (2, 5)")
    with transaction(connection):
        connection.execute("DELETE FROM memory WHERE id > 250 AND id < 290")  # leaves free pages
    yield connection
    connection.close()


def erase(connection: Connection, *ids: int, **said: Any) -> None:
    erase_targets(connection, find_targets(connection, ids, namespace="default", **said), now=START + 60)


def files(settings: Settings) -> list[Path]:
    return [each for each in settings.db.parent.iterdir() if each.is_file()]


def holding(paths: list[Path], *, but: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Return which of the words, whole texts too, each file has in its bytes, in any of three encodings."""
    found = {}
    for path in paths:
        data = path.read_bytes()
        words = [
            word
            for word in (*WORDS, SECRET, EDITED)
            if word not in but and any(word.encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be"))
        ]
        if words:
            found[path.name] = words
    return found


def tokens(connection: Connection) -> set[str]:
    """Every term that the search index holds."""
    connection.execute("CREATE VIRTUAL TABLE temp.term USING fts5vocab(main, memory_words, 'row')")
    found = {row[0] for row in connection.execute("SELECT term FROM temp.term")}
    connection.execute("DROP TABLE temp.term")
    return found


def test_no_byte_of_any_file_has_what_was_erased(person: Connection, settings: Settings) -> None:
    assert set(holding(files(settings))) >= {settings.db.name + "-wal"}
    erase(person, 2)
    assert holding(files(settings)) == {}
    assert not {"zanzibarish", "quokkamol", "quokkamole", "tagglewort", "4711"} & tokens(person)
    assert "garden" in tokens(person)
    assert person.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert person.execute("PRAGMA foreign_key_check").fetchall() == []
    assert person.execute("SELECT count(*) FROM vector").fetchone()[0] == 0
    person.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")
    person.close()
    assert holding(files(settings)) == {}


def counted(connection: Connection, ledger: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {ledger} WHERE memory = 2").fetchone()[0])


def test_a_tombstone_keeps_its_place_in_every_ledger(person: Connection, settings: Settings) -> None:
    before = {
        name: person.execute(f"SELECT count(*) FROM {name} WHERE memory = 2").fetchone()[0] for name in ("vote", "move")
    }
    erase(person, 2)
    rows = person.execute(
        "SELECT summary, subject, tags, goal, memory.words, state, tier FROM memory JOIN shelf ON shelf.id = shelf "
        "WHERE summary = '(erased)'"
    ).fetchall()
    assert [tuple(row) for row in rows] == [("(erased)", "", "[]", 0, "", "erased", "validated")] * 2
    assert {row["note"] for row in person.execute("SELECT note FROM vote WHERE memory = 2")} == {""}
    assert before["vote"] == counted(person, "vote")
    moves = person.execute("SELECT cause, reason, was_reason FROM move WHERE memory = 2").fetchall()
    assert len(moves) == before["move"] + 1
    assert moves[-1]["cause"] == "erased"
    assert {(row["reason"], row["was_reason"]) for row in moves} == {("", "")}
    assert person.execute("SELECT fact, subject, tags FROM proposal").fetchone()[:] == ("(erased)", "", "[]")
    assert person.execute("SELECT count(*) FROM conflict WHERE 2 IN (memory, other)").fetchone()[0] == 0


def test_nothing_recalls_lists_restores_edits_or_erases_a_tombstone(person: Connection, settings: Settings) -> None:
    erase(person, 2)
    for query in ("zanzibarish vault", "", "erased"):
        for archived in (False, True):
            asked = Question("default", query=query, include_archived=archived, limit=100)
            assert 2 not in [each.id for each in find(person, asked, settings, now=START).memories]
    states = ("active", "archived", "superseded", "quarantined")
    assert 2 not in [row["id"] for row in list_memories(person, Listing("default", states=states, limit=1000)).rows]
    assert restore_by_person(person, [2], settings, **SPACE).lines == ("#2 was erased",)
    assert archive_by_person(person, [2], settings, **SPACE).lines == ("#2 was erased",)
    assert vote_by_person(person, [2], "positive", settings, **SPACE).lines == ("#2 is erased: nothing was changed",)
    with pytest.raises(InvalidArgumentError, match="#2 was erased"):
        edit_memory(person, 2, Edit("back"), settings, **SPACE)
    with pytest.raises(InvalidArgumentError, match="#2 was erased already"):
        find_targets(person, [2], namespace="default")
    with pytest.raises(InvalidArgumentError, match="no memory #999"):
        find_targets(person, [999], namespace="default")
    with pytest.raises(Error, match="stays so"):
        person.execute("UPDATE memory SET summary = 'back' WHERE id = 2")
    with pytest.raises(Error, match="stays so"):
        person.execute("DELETE FROM memory WHERE id = 2")


def test_erasing_can_not_be_undone_and_undo_passes_it_by(person: Connection, settings: Settings) -> None:
    edited = find_last_action(person)
    erase(person, 2)
    run = person.execute("SELECT max(id) FROM run").fetchone()[0]
    with pytest.raises(InvalidArgumentError, match="erased memories for good"):
        require_undoable(person, run)
    assert find_last_action(person) == edited
    with transaction(person):
        count, lines, _ = TakingBack(edited, settings).chunk(person, now=START)
    assert (count, lines) == (0, ["#2 stays as it is: it was erased"])


def test_the_same_text_may_be_remembered_again(person: Connection, settings: Settings) -> None:
    erase(person, 2)
    with transaction(person):
        written = write_one(person, settings, SECRET)
    assert written.status == "stored"


def test_what_a_memory_superseded_is_erased_with_it_only_when_asked(person: Connection, settings: Settings) -> None:
    with transaction(person):
        for city in ("Oslo", "Rome", "Bern"):
            write_one(person, settings, f"The user lives in {city}", tier="validated", subject="user.city")
    newest = person.execute("SELECT max(id) FROM memory").fetchone()[0]
    assert [each.id for each in find_targets(person, [newest], namespace="default")] == [newest]
    whole = find_targets(person, [newest], namespace="default", history=True)
    assert sorted(each.id for each in whole) == [newest - 2, newest - 1, newest]
    middle = find_targets(person, [newest - 1], namespace="default", history=True)
    assert sorted(each.id for each in middle) == [newest - 2, newest - 1]


@pytest.mark.parametrize("tier", ["core", "strategic"])
def test_a_core_fact_is_erased_too_and_only_by_a_person(person: Connection, settings: Settings, tier: str) -> None:
    with transaction(person):
        written = write_one(person, settings, "The user's PIN is zyzzyva", tier=tier, subject="pin", goal_id="")
    with closing(open_connection(settings)) as agent:
        targets = find_targets(agent, [written.id], namespace="default")
        if tier == "core":
            with pytest.raises(Error, match="only"):
                erase_targets(agent, targets, now=START)
    erase(person, written.id)
    assert b"zyzzyva" not in settings.db.read_bytes()
    with transaction(person):
        write_one(person, settings, "The user's PIN is a secret", tier=tier, subject="pin", goal_id="")


def test_the_rollback_journal_keeps_nothing_either(settings: Settings) -> None:
    connection = open_connection(settings, by_person=True)
    connection.execute("PRAGMA journal_mode = DELETE")
    with transaction(connection):
        write_one(connection, settings, SECRET)
    erase(connection, 1)
    assert holding(files(settings)) == {}
    connection.close()
    assert holding(files(settings)) == {}


# Other processes, and ends in the middle


def test_a_server_that_is_idle_is_not_in_the_way(person: Connection, settings: Settings) -> None:
    with closing(open_connection(settings)) as other:
        assert find(other, Question("default", query="zanzibarish"), settings, now=START).memories
        erase(person, 2)
        assert holding(files(settings)) == {}
        assert not find(other, Question("default", query="zanzibarish"), settings, now=START).memories
        with transaction(other):
            write_one(other, settings, "Another day")


def test_a_process_in_the_way_is_named_and_the_rest_is_done_later(person: Connection, settings: Settings) -> None:
    reader = connect(f"file:{settings.db}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memory").fetchall()
    person.execute("PRAGMA busy_timeout = 100")
    with pytest.raises(BusyFileError, match="firmmem erase --finish"):
        erase(person, 2)
    assert [row["memory"] for row in list_unfinished(person)] == [2, 302]
    assert not find(person, Question("default", query="zanzibarish"), settings, now=START).memories
    reader.execute("ROLLBACK")
    reader.close()
    assert finish_erasures(person, now=START) == 2
    assert holding(files(settings)) == {}
    assert finish_erasures(person, now=START) == 0


ENDS = """
    import os, sys
    from pathlib import Path
    from firmmem.memory.hand import erase
    from firmmem.settings import Settings
    from firmmem.store import erasing
    from firmmem.store.opening import open_connection
    path, step = sys.argv[1:]
    connection = open_connection(Settings(db=Path(path)), by_person=True)
    targets = erase.find_targets(connection, [2], namespace="default")
    if step.isdigit():  # in the middle of the transaction, after so many statements
        left = [int(step)]
        def watch(*_):
            left[0] -= 1
            return os._exit(9) if left[0] <= 0 else 0
        connection.set_progress_handler(watch, 50)
    elif step == "merging":
        erasing.merge_whole_index = lambda *_: os._exit(9)
    else:
        whole = erasing.merge_whole_index
        def merged(connection):
            whole(connection)
            connection.set_progress_handler(lambda: os._exit(9), 10)
        erasing.merge_whole_index = merged
    erase.erase_targets(connection, targets, now=1.0)
"""


@pytest.mark.parametrize("step", ["2", "6", "10", "merging", "rewriting"])
def test_a_process_that_ends_at_any_point_leaves_the_old_or_nothing_to_be_seen(
    person: Connection, settings: Settings, step: str
) -> None:
    person.close()
    ended = in_another_process(ENDS, settings.db, step)
    assert ended.returncode == 9, ended.stderr
    with closing(open_connection(settings, by_person=True)) as again:
        assert again.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        [row] = again.execute("SELECT summary, subject, words FROM memory WHERE id = 2")
        notes = {each["note"] for each in again.execute("SELECT note FROM vote WHERE memory = 2")}
        if row["summary"] == EDITED:
            assert step.isdigit()
            assert row["subject"] == "vault.marsupialis"
            assert "marsupialis was right" in notes
            erase(again, 2)
        else:
            assert tuple(row) == ("(erased)", "", "")
            assert notes == {""}
            assert finish_erasures(again, now=START) == 2
    assert holding(files(settings)) == {}


# Backups and exports


def test_backups_next_to_the_file_are_erased_in_too(person: Connection, settings: Settings) -> None:
    backup = back_up(settings, now=START).path
    another = back_up(settings, settings.db.parent / "elsewhere.db", now=START).path
    targets = find_targets(person, [2], namespace="default")
    assert find_copies(settings.db) == [backup]
    assert [erase_in_copy(each, targets, settings, now=START) for each in (backup, another)] == [2, 2]
    assert erase_in_copy(backup, targets, settings, now=START) == 0
    erase(person, 2)
    person.close()
    assert holding(files(settings)) == {}
    assert sorted(each.suffix for each in files(settings)) == [".backup", ".db", ".db"]
    assert backup.stat().st_mode & 0o777 == 0o600
    restore(settings, backup, now=START)
    with closing(open_connection(settings)) as restored:
        assert restored.execute("SELECT count(*) FROM memory").fetchone()[0] == 263
        assert restored.execute("SELECT summary FROM memory WHERE id = 2").fetchone()[0] == "(erased)"


def test_a_backup_of_an_older_schema_is_brought_up_to_date_on_the_way(settings: Settings, tmp_path: Path) -> None:
    with closing(sqlite3.connect(settings.db)) as old:
        for script in sorted((Path(__file__).parents[3] / "migrations").glob("000[1-4]*.sql")):
            old.create_function("by_person", 0, lambda: 0)
            old.executescript(script.read_text(encoding="utf-8"))
        old.execute("PRAGMA user_version = 4")
    old_backup = tmp_path / f"{settings.db.name}.schema-4.20260101T000000Z.bak"
    settings.db.replace(old_backup)
    with closing(open_connection(settings.model_copy(update={"db": old_backup}), by_person=True)) as connection:
        with transaction(connection):
            write_one(connection, settings, SECRET)
        targets = find_targets(connection, [1], namespace="default")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for made in tmp_path.glob("*.bak.schema-4*"):
        made.unlink()
    assert erase_in_copy(old_backup, targets, settings, now=START) == 1
    assert holding(files(settings)) == {}
    assert [each.name for each in files(settings)] == [old_backup.name]


def export(connection: Connection) -> bytes:
    return b"".join(export_lines(connection))


def take_in(connection: Connection, lines: bytes, settings: Settings) -> Imported:
    return import_file(connection, io.BytesIO(lines), settings, lambda: START + 120)


def test_an_export_is_erased_in_and_stays_an_export(person: Connection, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_bytes(export(person))
    assert erase_in_copy(file, find_targets(person, [2], namespace="default"), settings, now=START + 60) == 3
    assert holding([file]) == {}
    erase(person, 2)
    emptied = [json.loads(line) for line in file.read_bytes().splitlines()]
    now = [json.loads(line) for line in export(person).splitlines()]
    assert [each.get("id") for each in emptied] == [each.get("id") for each in now]
    other = settings.model_copy(update={"db": tmp_path / "other.db"})
    with closing(open_connection(other, by_person=True)) as fresh:
        done = take_in(fresh, file.read_bytes(), other)
        assert done.new == 263
        assert fresh.execute("SELECT count(*) FROM erasure").fetchone()[0] == 2
        again = take_in(fresh, file.read_bytes(), other)
        assert (again.new, again.erased) == (0, 0)


def test_an_older_export_does_not_bring_back_what_was_erased(person: Connection, settings: Settings) -> None:
    before = export(person)
    erase(person, 2)
    count = person.execute("SELECT count(*) FROM memory").fetchone()[0]
    done = take_in(person, before, settings)
    assert (done.new, done.erased) == (0, 2)
    assert person.execute("SELECT count(*) FROM memory").fetchone()[0] == count
    assert export(person).count(b"zanzibarish") == 1  # the proposal that the export brings: it names no memory


def test_what_is_no_copy_is_refused_and_left_as_it_is(person: Connection, settings: Settings, tmp_path: Path) -> None:
    targets = find_targets(person, [2], namespace="default")
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear all")
    with pytest.raises(InvalidArgumentError, match="neither a backup nor an export"):
        erase_in_copy(letter, targets, settings, now=START)
    with pytest.raises(InvalidArgumentError, match="can't be read"):
        erase_in_copy(tmp_path / "missing", targets, settings, now=START)
    assert letter.read_text() == "Dear all"
    (tmp_path / f"{settings.db.name}.x.backup.erasing").write_bytes(b"half")
    remove_leftovers(settings.db)
    assert [each.name for each in tmp_path.iterdir() if "erasing" in each.name] == []


def test_the_bytes_of_files_are_looked_through(settings: Settings, person: Connection) -> None:
    paths = [Path(f"{settings.db}{ending}") for ending in COMPANIONS]
    assert settings.db in files_that_hold(paths, EDITED) or Path(f"{settings.db}-wal") in files_that_hold(paths, EDITED)
    erase(person, 2)
    assert files_that_hold(paths, EDITED) == []
