"""Migrations: one process upgrades and all work; what fails leaves the file as it was."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.checkout import CHECKOUT, TESTS
from support.stores import in_another_process, write_one

from firmmem.errors import IncompatibleFileError
from firmmem.settings import Settings
from firmmem.store import migrate as module
from firmmem.store.migrate import migrate, schema_version, scripts, statements
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error, complete_statement, connect
from firmmem.store.statements import Connection, transaction

NEWER = "CREATE TABLE extra (x INTEGER) STRICT;\nINSERT INTO extra SELECT count(*) FROM memory;\n"
OPENS = """
    import sys
    from pathlib import Path
    from firmmem.store import migrate
    from firmmem.store.opening import open_connection
    from firmmem.settings import Settings
    from support.stores import write_one
    path, text, newer = sys.argv[1:]
    if newer:
        known = migrate.scripts()
        migrate.scripts = lambda: (*known, newer)
        import firmmem.store.opening
        firmmem.store.opening.scripts = migrate.scripts
    settings = Settings(db=Path(path))
    print("ready", flush=True)
    sys.stdin.readline()
    connection = open_connection(settings)
    connection.execute("BEGIN IMMEDIATE")
    print(write_one(connection, settings, text).id)
    connection.execute("COMMIT")
    connection.close()
"""


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let this process know one more migration."""

    def add(script: str) -> None:
        known = scripts()
        monkeypatch.setattr(module, "scripts", lambda: (*known, script))
        monkeypatch.setattr("firmmem.store.opening.scripts", lambda: (*known, script))

    return add


def filled(settings: Settings) -> None:
    """Make a file that has one memory."""
    connection = open_connection(settings)
    with transaction(connection):
        write_one(connection, settings, "The office is in Lisbon")
    connection.close()


def backups(settings: Settings) -> list[Path]:
    return sorted(settings.db.parent.glob("*.bak"))


def dump(path: Path) -> list[tuple[object, ...]]:
    """Return everything that stands in the file."""
    connection = connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    rows = [("schema", *row) for row in connection.execute("SELECT name, sql FROM sqlite_master ORDER BY 1")]
    rows += [(name, *row) for name in tables for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1")]
    rows += [("version", *connection.execute("PRAGMA user_version").fetchone())]
    connection.close()
    return rows


def started_at_once(path: Path, newer: str) -> list[str]:
    """Open one file in eight processes at once and write in each; return what they printed after that."""
    children = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(OPENS), path, f"fact {number}", newer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=TESTS,
        )
        for number in range(8)
    ]
    for child in children:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin
        child.stdin.write("go\n")
        child.stdin.flush()
    results = [child.communicate(timeout=60) for child in children]
    assert [(child.returncode, error) for child, (_, error) in zip(children, results, strict=True)] == [(0, "")] * 8
    return [out for out, _ in results]


def test_eight_processes_start_on_a_file_that_is_not_there_and_all_work(settings: Settings) -> None:
    ids = started_at_once(settings.db, "")
    assert sorted(map(int, ids)) == list(range(1, 9))
    assert backups(settings) == []


def test_eight_processes_start_on_an_older_schema_and_one_backup_holds_it(
    settings: Settings, newer: Callable[[str], None]
) -> None:
    filled(settings)
    before = dump(settings.db)
    ids = started_at_once(settings.db, NEWER)
    assert sorted(map(int, ids)) == list(range(2, 10))
    [backup] = backups(settings)
    assert dump(backup) == before
    newer(NEWER)
    connection = open_connection(settings)
    assert connection.execute("SELECT x FROM extra").fetchall()[0][0] == 1
    connection.close()


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_a_file_that_is_just_being_upgraded_is_never_taken_for_another_programs(tmp_path: Path, moment: int) -> None:
    path = tmp_path / "firmmem.db"
    looking = connect(path, isolation_level=None)
    other = connect(path, isolation_level=None, timeout=0)
    seen: list[str] = []

    def on_statement(statement: str) -> None:
        seen.append(statement)
        if len(seen) == moment:
            with suppress(Error), transaction(other):  # busy while the look at the file lasts
                other.execute(f"PRAGMA application_id = {module.APPLICATION_ID}")
                other.execute("PRAGMA user_version = 1")

    looking.set_trace_callback(on_statement)
    assert schema_version(looking) in (0, 1)
    looking.set_trace_callback(None)
    assert len(seen) >= moment
    looking.close()
    other.close()


@pytest.mark.parametrize("fault", ["nonsense", "INSERT INTO keying (id) VALUES (2)", "SELECT raise(ABORT, 'no')"])
def test_a_migration_whose_third_statement_of_five_fails_leaves_the_file_as_before(
    settings: Settings, newer: Callable[[str], None], fault: str
) -> None:
    filled(settings)
    before = dump(settings.db)
    newer(f"CREATE TABLE a (x);\nDELETE FROM vote;\n{fault};\nDROP TABLE memory_tag;\nCREATE TABLE b (x);\n")
    with pytest.raises(Exception, match="can't be used"):
        open_connection(settings)
    assert dump(settings.db) == before
    assert backups(settings) == []  # nothing was changed, so nothing is kept twice


def test_a_file_with_data_is_backed_up_before_it_is_upgraded(settings: Settings, newer: Callable[[str], None]) -> None:
    filled(settings)
    before = dump(settings.db)
    newer(NEWER)
    open_connection(settings).close()
    [backup] = backups(settings)
    assert dump(backup) == before
    assert backup.stat().st_mode & 0o777 == 0o600
    restored = Settings(db=backup)
    connection = open_connection(restored)  # the backup is a file like any other
    assert connection.execute("SELECT x FROM extra").fetchone()[0] == 1
    connection.close()


def test_what_another_process_still_has_in_its_wal_is_in_the_backup(
    settings: Settings, newer: Callable[[str], None]
) -> None:
    other = open_connection(settings)
    with transaction(other):
        write_one(other, settings, "Only in the WAL so far")
    newer(NEWER)
    open_connection(settings).close()
    [backup] = backups(settings)
    assert any("Only in the WAL so far" in row for row in dump(backup))
    other.close()


def test_a_newer_file_is_refused_and_left_as_it_is(settings: Settings, newer: Callable[[str], None]) -> None:
    filled(settings)
    connection = open_connection(settings)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = settings.db.read_bytes()
    with pytest.raises(IncompatibleFileError, match=r"schema 99 .* upgrade FirmMem"):
        open_connection(settings)
    assert settings.db.read_bytes() == before
    assert [path.name for path in settings.db.parent.iterdir()] == ["firmmem.db"]


@pytest.mark.parametrize(
    "script",
    ["CREATE TABLE note (x)", "PRAGMA application_id = 7", "PRAGMA user_version = 1", "CREATE VIEW v AS SELECT 1"],
)
def test_another_programs_file_is_refused_and_left_as_it_is(settings: Settings, script: str) -> None:
    other = connect(settings.db, isolation_level=None)
    other.execute(script)
    other.close()
    before = settings.db.read_bytes()
    with pytest.raises(IncompatibleFileError, match="belongs to another program"):
        open_connection(settings)
    assert settings.db.read_bytes() == before


def test_the_lock_is_not_kept_by_a_migration_that_fails(connection: Connection, newer: Callable[[str], None]) -> None:
    newer("CREATE TABLE a (x);\nnonsense;\n")

    def copy(schema: int) -> Path:
        raise FileExistsError(schema)

    with pytest.raises(FileExistsError):
        migrate(connection, complete_statement, copy)
    assert not connection.in_transaction


def test_migrations_are_numbered_one_by_one_and_found_in_a_checkout_and_in_a_wheel(tmp_path: Path) -> None:
    folder = CHECKOUT / "migrations"
    names = sorted(path.name for path in folder.iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert len(scripts()) == len(names)
    installed = tmp_path / "firmmem"
    (installed / "migrations").mkdir(parents=True)
    (installed / "store").mkdir()
    for name in ("__init__.py", "errors.py", "store/__init__.py", "store/migrate.py"):
        (installed / name).write_text((CHECKOUT / "firmmem" / name).read_text())
    for number, name in enumerate(["0002_b.sql", "0001_a.sql", "notes.txt"]):
        (installed / "migrations" / name).write_text(f"SELECT {number};")
    found = in_another_process(
        "import sys; sys.path.insert(0, sys.argv[1])\nfrom firmmem.store.migrate import scripts\nprint(scripts())",
        tmp_path,
    )
    assert found.stdout == "('SELECT 1;', 'SELECT 0;')\n", found.stderr


def test_statements_are_split_where_they_end_and_not_within_them() -> None:
    script = (
        "PRAGMA a = 1;  -- a comment; with a semicolon\n"
        "CREATE TRIGGER t AFTER INSERT ON m BEGIN\n    SELECT 1;\n    SELECT ';\n';\nEND;\n"
        "SELECT 2"
    )
    parts = [part.strip() for part in statements(script, complete_statement)]
    assert [part[:8] for part in parts] == ["PRAGMA a", "CREATE T", "SELECT 2"]
