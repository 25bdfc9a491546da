"""An import as a run: hidden until its end, in short transactions, taken back whole, after a kill too."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.stores import AUTHOR, START, write_one

from firmmem.contract import NewMemory
from firmmem.errors import BusyFileError, InvalidArgumentError
from firmmem.memory.exchange import arrival as arrivals
from firmmem.memory.exchange.arrival import SMALL, SWAPPED, hold_import_lock
from firmmem.memory.exchange.arriving import Imported
from firmmem.memory.exchange.export import export_lines
from firmmem.memory.exchange.import_ import import_file
from firmmem.memory.exchange.record import FORMAT, MemoryRecord, ProposalRecord, format_line, format_record
from firmmem.memory.exchange.take_back import TakingBack
from firmmem.memory.rows.hidden import HIDDEN, hidden_branch
from firmmem.memory.trust.feedback import record_feedback
from firmmem.memory.write.archive import archive_in_transaction
from firmmem.memory.write.core_facts import add_fact
from firmmem.memory.write.write import check_memory, store_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, transaction

MANY = 2 * SMALL
GOAL = [b'{"type":"goal","namespace":"default","name":"beta","opened_at":null,"closed_at":null}\n']


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    connection = open_connection(settings, by_person=True)
    yield connection
    connection.close()


def record(number: int, **more: Any) -> MemoryRecord:
    usual: dict[str, Any] = {
        "id": number, "namespace": "default", "state": "active", "branch": "", "tier": "draft", "goal": "",
        "subject": "", "summary": f"The shelf number {number} holds a book", "tags": [f"t{number % 7}"], "source": "x",
        "importance": 0.5, "initial_trust": 0.5, "trust": 0.5, "consolidation": 0.0, "recall_count": 0,
        "strength": 1.0, "created_at": START, "reviewed_at": START, "state_at": START, "state_cause": "",
        "state_reason": "", "superseded_by": None, "supersedes": [],
    }  # fmt: skip
    return MemoryRecord(**(usual | more))


def export_of(*records: MemoryRecord | ProposalRecord) -> bytes:
    lines = [format_line({"type": "firmmem", "format": FORMAT, "namespace": ""}), *map(format_record, records)]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    return b"".join([*lines, format_line({"type": "end", "records": len(records), "sha256": digest})])


def take_in(connection: Connection, export: bytes, settings: Settings) -> Imported:
    return import_file(connection, io.BytesIO(export), settings, lambda: START)


def take_back(connection: Connection, done: Imported) -> list[str]:
    return list(TakingBack(connection, done.run_id).work(lambda: START))


def content(connection: Connection) -> list[bytes]:
    with transaction(connection, "BEGIN"):
        return list(export_lines(connection))


def seen(connection: Connection, namespace: str = "default") -> int:
    [(count,)] = connection.execute(
        "SELECT count(*) FROM memory JOIN shelf ON shelf.id = shelf "
        "WHERE namespace = ? AND state = 'active' AND branch = ''",
        (namespace,),
    )
    return int(count)


def hidden(connection: Connection) -> int:
    query = "SELECT count(*) FROM memory JOIN shelf ON shelf.id = shelf WHERE branch GLOB ?"
    [(count,)] = connection.execute(query, (f"{HIDDEN}*",))
    return int(count)


def assert_sound(held: Connection) -> None:
    """Look at the file with a connection of its own: one that is held knows the index as it was."""
    [row] = held.execute("PRAGMA database_list")
    connection = open_connection(Settings(db=Path(row["file"])))
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)")
        counted = connection.execute(
            "SELECT shelf.id FROM shelf WHERE core + strategic + validated + draft <> "
            "(SELECT count(*) FROM memory WHERE memory.shelf = shelf.id)"
        )
        assert counted.fetchall() == []
    finally:
        connection.close()


def several(count: int = MANY) -> bytes:
    """An export with what refers to each other: versions, a branch that supersedes, a conflict, a core fact."""
    return export_of(
        *(record(number) for number in range(1, count + 1)),
        record(count + 1, state="superseded", superseded_by=2, summary="The second shelf"),
        record(count + 2, branch="what if", supersedes=[3], conflicts=[4]),
        record(count + 3, tier="core", trust=1.0, initial_trust=1.0, subject="user.name", summary="Is called Ada"),
        record(count + 4, state="superseded", superseded_by=count + 3, tier="draft", summary="Ada, perhaps"),
        record(count + 5, tier="strategic", goal="beta", summary="Ship in May"),
    )


@pytest.mark.parametrize("count", [3, MANY])
def test_an_import_is_equal_to_what_was_exported_whatever_its_size(
    person: Connection, settings: Settings, count: int
) -> None:
    done = take_in(person, several(count), settings)
    assert done.new == count + 5
    assert sorted(content(person)[1:-1]) == sorted(several(count).splitlines(keepends=True)[1:-1] + GOAL)
    assert hidden(person) == 0
    assert_sound(person)
    rows = {row["id"]: row for row in person.execute("SELECT * FROM memory")}
    assert rows[count + 1]["superseded_by"] == 2
    assert rows[count + 4]["superseded_by"] == count + 3
    assert json.loads(rows[count + 2]["supersedes"]) == [3]
    assert person.execute("SELECT memory, other FROM conflict").fetchall()[0][:] == (count + 2, 4)


@pytest.mark.parametrize("count", [3, MANY])
@pytest.mark.parametrize("there", [0, 5, SMALL + 5])
def test_an_import_is_taken_back_whole(person: Connection, settings: Settings, count: int, there: int) -> None:
    with transaction(person):
        for number in range(there):
            write_one(person, settings, f"The drawer number {number} is empty")
        if there:
            write_one(person, settings, "The shelf number 2 holds a book")  # which the import has too
            add_fact(person, "Is called Grace", settings, namespace="default", subject="user.name", now=START)
            archive_in_transaction(person, [1], namespace="default", goal_id="", reason="", now=START)
    before = content(person)
    done = take_in(person, several(count), settings)
    assert seen(person) >= count
    assert done.merged == (1 if there else 0)
    assert len(done.kept) == (1 if there else 0)
    assert_sound(person)
    assert take_back(person, done) == []
    assert content(person) == before
    assert_sound(person)
    assert not [row for row in person.execute("SELECT * FROM shelf") if row["branch"].startswith(HIDDEN)]
    assert person.execute("SELECT count(*) FROM goal").fetchone()[0] == 0


def test_the_same_export_again_changes_nothing_and_leaves_no_run(person: Connection, settings: Settings) -> None:
    take_in(person, several(), settings)
    before = content(person)
    again = take_in(person, several(), settings)
    assert (again.new, again.same) == (0, 1)
    assert content(person) == before


def test_what_was_merged_and_lived_on_stays(person: Connection, settings: Settings) -> None:
    with transaction(person):
        write_one(person, settings, "The shelf number 2 holds a book")
    export = export_of(record(1), record(2, recall_count=3, reviewed_at=START + 1, strength=4.0))
    done = take_in(person, export, settings)
    with transaction(person):
        vote(person, settings, [1, 2])
    assert sorted(take_back(person, done)) == [
        "#1 stays as it is: it changed since",
        "#2 stays: it was voted on, moved or referred to since",
    ]
    assert_sound(person)


def vote(connection: Connection, settings: Settings, ids: list[int]) -> None:
    record_feedback(
        connection, ids, "positive", AUTHOR, settings, namespace="default", branch="", note="", now=START + 2
    )


def test_a_line_that_can_t_be_stored_leaves_nothing_of_a_large_import(person: Connection, settings: Settings) -> None:
    key = "AKIA" + "Q" * 16
    bad = [record(number) for number in range(1, MANY)]
    with pytest.raises(InvalidArgumentError, match=rf"line {MANY + 1}: .*AWS access key"):
        take_in(person, export_of(*bad, record(MANY, summary=f"The key is {key}")), settings)
    with pytest.raises(InvalidArgumentError, match="superseded by one that is not in the file"):
        take_in(person, export_of(*bad, record(MANY, state="superseded", superseded_by=MANY + 9)), settings)
    for table in ("memory", "run", "arrival", "arrival_change", "goal"):
        assert person.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    assert not [row for row in person.execute("SELECT * FROM shelf") if row["branch"].startswith(HIDDEN)]


def test_what_an_agent_writes_while_it_is_imported_is_seen_at_once_and_stays(
    person: Connection, settings: Settings
) -> None:
    text = "The shelf number 7 holds a book"
    written: list[int] = []

    def write_too(done: int, _of: int) -> None:
        if written or not done:
            return
        with transaction(person):
            new = check_memory(NewMemory(text, "draft", "default"), settings)
            written.append(store_memory(person, new, AUTHOR, settings, now=START).id)
        assert seen(person) == 1

    done = import_file(person, io.BytesIO(several()), settings, lambda: START, progress=write_too)
    assert written == [7]
    assert seen(person) == MANY + 2
    assert hidden(person) == 0
    assert_sound(person)
    assert take_back(person, done) == ["#7 stays: it was voted on, moved or referred to since"]
    assert seen(person) == 1
    assert_sound(person)


def test_a_second_import_waits_for_the_first(person: Connection, settings: Settings) -> None:
    with hold_import_lock(settings.db):
        code = f"""
import sys
from pathlib import Path
from firmmem.memory.exchange.arrival import hold_import_lock
with hold_import_lock(Path({str(settings.db)!r})):
    pass
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
        assert b"BusyFileError" in done.stderr
    with hold_import_lock(settings.db):
        pass
    assert not Path(f"{settings.db}-import").exists()
    assert issubclass(BusyFileError, Exception)


def import_in_child(db: Path, export: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "firmmem", "import", "--db", db, export], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for(condition: Callable[[], bool], child: "subprocess.Popen[bytes]") -> bool:
    """Wait until a condition holds; return whether the child was still at work then."""
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        if child.poll() is not None:
            return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="it is killed by a signal")
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_killed_import_is_hidden_and_undo_removes_it(
    person: Connection, settings: Settings, tmp_path: Path, share: float
) -> None:
    export = tmp_path / "many.jsonl"
    export.write_bytes(several(5000))
    child = import_in_child(settings.db, export)
    began = wait_for(lambda: hidden(person) > share * 5000 or seen(person) > 0, child)
    os.kill(child.pid, signal.SIGKILL) if child.poll() is None else None
    child.communicate()
    assert began
    assert seen(person) == 0
    assert_sound(person)
    assert content(person)[1:-1] == []
    [run] = fetch(person, "runs", most=9)
    ran = subprocess.run(
        [sys.executable, "-m", "firmmem", "undo", str(run["id"]), "--db", settings.db],
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert person.execute("SELECT count(*) FROM memory").fetchone()[0] == 0
    assert_sound(person)
    assert take_in(person, several(), settings).new == MANY + 5


@pytest.mark.skipif(sys.platform == "win32", reason="it is killed by a signal")
def test_readers_see_all_of_a_large_import_or_nothing_and_writers_are_let_in(
    person: Connection, settings: Settings, tmp_path: Path
) -> None:
    export = tmp_path / "many.jsonl"
    export.write_bytes(several(3000))
    child = import_in_child(settings.db, export)
    counts, number = set(), 0
    while child.poll() is None:
        counts.add(seen(person))
        number += 1
        with transaction(person):
            write_one(person, settings, f"The client writes number {number}", namespace="another")
    assert child.returncode == 0, child.stderr.read() if child.stderr else b""
    child.communicate()
    assert counts <= {0, 3002}
    assert seen(person) == 3002
    assert seen(person, "another") == number
    assert_sound(person)


def test_more_than_can_make_room_is_moved_piece_by_piece(
    person: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others write meanwhile makes the shelf too full to be replaced."""
    full: list[int] = []

    def fill(done: int, of: int) -> None:
        if done == of:
            with transaction(person):
                full.extend(
                    write_one(person, settings, f"The box {number} is full").id for number in range(SWAPPED + 1)
                )

    done = import_file(person, io.BytesIO(several()), settings, lambda: START, progress=fill)
    assert seen(person) == MANY + 2 + SWAPPED + 1
    assert hidden(person) == 0
    assert_sound(person)
    assert take_back(person, done) == []
    assert seen(person) == SWAPPED + 1
    assert_sound(person)


def test_an_interrupted_take_back_goes_on_where_it_was(
    person: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = take_in(person, several(), settings)
    monkeypatch.setattr("firmmem.memory.exchange.take_back.LOOKED", 50)
    work = TakingBack(person, done.run_id)
    [arrival] = fetch(person, "arrival", run=done.run_id)
    list(work.restore_changes())
    work.loosen(arrival)
    next(work.delete_rows(arrival), None)
    assert take_back(person, done) == []
    assert content(person)[1:-1] == []


def test_proposals_come_and_go_with_an_import(person: Connection, settings: Settings) -> None:
    proposal = ProposalRecord(
        namespace="default", fact="Is left-handed", subject="", tags=[], client="x", session="y", at=START,
        state="waiting", decided_at=None, memory=None,
    )  # fmt: skip
    done = take_in(person, export_of(record(1), proposal), settings)
    assert done.proposed == 1
    assert take_in(person, export_of(record(1), proposal), settings).proposed == 0
    take_back(person, done)
    assert person.execute("SELECT count(*) FROM proposal").fetchone()[0] == 0


def test_no_caller_can_name_a_hidden_branch(settings: Settings) -> None:
    named = check_memory(NewMemory("x y z", "draft", "default", branch=hidden_branch(1, "")), settings)
    assert not named.branch.startswith(HIDDEN)
    assert arrivals.PAUSE_S > 0
