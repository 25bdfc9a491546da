"""What another program does to the schema: a dropped guard, a planted trigger, a renamed column, never go unnoticed."""

import json
import sys
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient
from support.stores import in_another_process, write_one

from firmmem.errors import DamagedFileError
from firmmem.settings import Settings
from firmmem.store import migrate
from firmmem.store.migrate import scripts
from firmmem.store.opening import open_connection
from firmmem.store.schema_check import compute_fingerprint, expected_objects, read_objects
from firmmem.store.schema_fingerprints import FINGERPRINTS
from firmmem.store.statements import transaction

MENDED = {
    "a dropped guard of core facts": ("DROP TRIGGER core_update", "trigger core_update is missing"),
    "a dropped guard of a ledger": ("DROP TRIGGER vote_delete", "trigger vote_delete is missing"),
    "a planted trigger": (
        "CREATE TRIGGER mine AFTER INSERT ON memory BEGIN UPDATE memory SET summary = 'x' WHERE id = new.id; END",
        "trigger mine is not FirmMem's",
    ),
    "an altered trigger": (
        "DROP TRIGGER core_delete; CREATE TRIGGER core_delete BEFORE DELETE ON memory WHEN 0 BEGIN SELECT 1; END",
        "trigger core_delete was altered",
    ),
    "a dropped index": ("DROP INDEX memory_by_identity", "index memory_by_identity is missing"),
    "a planted index": ("CREATE UNIQUE INDEX one ON memory (tier)", "index one is not FirmMem's"),
    "an altered view": (
        "DROP VIEW memory_score; CREATE VIEW memory_score AS SELECT 1 AS score",
        "view memory_score was altered",
    ),
    "triggers that count": ("DROP TRIGGER shelf_insert; DROP TRIGGER memory_tag_insert", "trigger shelf_insert"),
}
BROKEN = {
    "a dropped ledger": ("DROP TABLE vote", "table vote is missing"),
    "a renamed column": ("ALTER TABLE memory RENAME COLUMN source TO src", "table memory was altered"),
    "a new column": ("ALTER TABLE memory ADD COLUMN extra TEXT", "table memory was altered"),
}


@pytest.fixture
def firmmem(tmp_path: Path) -> Firmmem:
    return Firmmem(tmp_path)


@pytest.fixture
def filled(firmmem: Firmmem) -> Firmmem:
    connection = open_connection(Settings(db=firmmem.db), by_person=True)
    with transaction(connection):
        write_one(connection, Settings(db=firmmem.db), "The user's name is Ann", tier="core")
        write_one(connection, Settings(db=firmmem.db), "The cat sleeps", tags=("pets",))
    connection.close()
    return firmmem


def do(path: Path, script: str) -> None:
    """Change a file as another program does, with the other SQLite library."""
    done = in_another_process(
        """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        file.create_function("by_person", 0, lambda: 1)
        file.executescript(sys.argv[2])
        file.close()
        """,
        path,
        script,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", ["pysqlite3", "sqlite3"])
def test_each_migration_has_its_fingerprint_with_either_library(library: str) -> None:
    done = in_another_process(
        """
        import json, sys
        if sys.argv[1] == "sqlite3":
            sys.modules["pysqlite3"] = None
        from firmmem.store.migrate import scripts
        from firmmem.store.schema_check import compute_fingerprint, expected_objects
        print(json.dumps([compute_fingerprint(expected_objects(n + 1)) for n in range(len(scripts()))]))
        """,
        library,
    )
    assert tuple(json.loads(done.stdout)) == FINGERPRINTS, "run python scripts/docs_tables.py"


def test_a_new_file_has_the_fingerprint_and_keeps_it_when_it_is_analysed(settings: Settings) -> None:
    connection = open_connection(settings)
    assert compute_fingerprint(read_objects(connection)) == FINGERPRINTS[-1]
    connection.execute("ANALYZE")
    assert compute_fingerprint(read_objects(connection)) == FINGERPRINTS[-1]
    connection.close()


EDIT = """
-- Another state.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'archived', 'put away') WHERE name = 'shelf';
PRAGMA writable_schema = RESET;
UPDATE memory SET words = no_such_function(words);
"""


def test_a_migration_that_edits_the_schema_itself_is_expected_too(monkeypatch: pytest.MonkeyPatch) -> None:
    known = scripts()
    monkeypatch.setattr(migrate, "scripts", lambda: (*known, EDIT))
    definitions = {each[1]: each[3] for each in expected_objects(len(known) + 1)}
    assert "'put away'" in definitions["shelf"]


@pytest.mark.parametrize("case", MENDED)
def test_what_was_done_to_triggers_views_and_indexes_is_damage_until_it_is_put_right(
    filled: Firmmem, case: str
) -> None:
    script, said = MENDED[case]
    copy = filled.folder / "copy.db"
    filled.does("backup", copy)
    do(filled.db, script)
    do(copy, script)
    with pytest.raises(DamagedFileError, match=said):
        open_connection(Settings(db=filled.db))
    doctor = filled("doctor")
    assert doctor.code == 1
    assert said in doctor.out
    assert "Nothing is wrong" not in doctor.out
    assert said in filled("export").err
    assert said in filled("backup", "restore", "--yes", copy).err
    assert "put right" in filled("doctor", "--repair").out
    assert filled("doctor").code == 0
    assert "The cat sleeps" in filled.does("recall", "cat")
    connection = open_connection(Settings(db=filled.db), by_person=True)
    with transaction(connection):
        write_one(connection, Settings(db=filled.db), "The dog barks", tags=("pets",))
        shelf = connection.execute("SELECT core, draft FROM shelf WHERE state = 'active'").fetchone()
        tags = connection.execute("SELECT count(*) FROM memory_tag").fetchone()
    connection.close()
    assert (tuple(shelf), tuple(tags)) == ((1, 2), (2,))


@pytest.mark.parametrize("case", BROKEN)
def test_what_was_done_to_tables_is_damage_and_a_backup_heals_it(filled: Firmmem, case: str) -> None:
    script, said = BROKEN[case]
    copy = filled.folder / "copy.db"
    filled.does("backup", copy)
    do(filled.db, script)
    with pytest.raises(DamagedFileError, match=said):
        open_connection(Settings(db=filled.db))
    doctor = filled("doctor")
    assert doctor.code == 1
    assert said in doctor.out
    export = filled.folder / "e.jsonl"
    assert said in filled("import", export).err or "can't be read" in filled("import", export).err
    filled.does("backup", "restore", "--yes", copy)
    assert filled("doctor").code == 0


def test_a_running_server_that_starts_on_such_a_file_says_so_in_a_normal_answer(filled: Firmmem) -> None:
    do(filled.db, "DROP TRIGGER core_update")
    with StdioClient([sys.executable, "-m", "firmmem"], env=filled.environment()) as client:
        client.initialize()
        said = client.call("firmmem_write_event_memory", summary="The dog barks")
    assert not said.get("isError")
    assert said["content"][0]["text"].startswith("unavailable: ")
    assert "trigger core_update is missing" in said["content"][0]["text"]


def test_another_programs_table_does_no_harm_and_is_only_named(filled: Firmmem) -> None:
    do(filled.db, "CREATE TABLE notes (x); CREATE TRIGGER n AFTER INSERT ON notes BEGIN SELECT 1; END")
    doctor = filled("doctor")
    assert doctor.code == 0
    assert "table notes is not FirmMem's" in doctor.out
    assert "The cat sleeps" in filled.does("recall", "cat")


def test_doctor_sees_what_a_check_forbids(filled: Firmmem) -> None:
    copy = filled.folder / "copy.db"
    filled.does("backup", copy)
    for path in (filled.db, copy):
        do(path, "PRAGMA ignore_check_constraints = ON; UPDATE memory SET importance = -3 WHERE tier = 'draft'")
    doctor = filled("doctor")
    assert doctor.code == 1
    assert "CHECK constraint failed" in doctor.out
    restored = filled("backup", "restore", "--yes", copy)
    assert restored.code == 1
    assert "CHECK constraint failed" in restored.err
    assert [path.name for path in filled.folder.glob("*.restored*")] == []
