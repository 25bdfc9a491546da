"""The file: how it is opened, its transactions, and what is said when it can't be used."""

import os
import random
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest
from support.stores import START, in_another_process, write_one

from firmmem.contract import Question
from firmmem.errors import (
    BusyFileError,
    DamagedFileError,
    IncompatibleFileError,
    ReadOnlyFileError,
    UnavailableError,
)
from firmmem.memory.recall.recall import find, recall
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.migrate import scripts
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error, connect, has_wal_bug
from firmmem.store.statements import Connection, fetch, transaction

OTHER_USER = 65_534  # nobody
WRITE_ELSEWHERE = """
    import sys
    from pathlib import Path
    from firmmem.store import statements
    from firmmem.store.opening import open_connection
    from firmmem.settings import Settings
    from support.stores import write_one
    statements.BUSY_SECONDS = 1.0
    settings = Settings(db=Path(sys.argv[1]))
    connection = open_connection(settings)
    with statements.transaction(connection):
        print(write_one(connection, settings, sys.argv[2]).status)
    connection.close()
"""


def write_elsewhere(path: Path, text: str) -> str:
    """Write in another process, which waits no longer than a second for the file; return what became of it."""
    done = in_another_process(WRITE_ELSEWHERE, path, text)
    assert done.stderr == ""
    return done.stdout.strip()


def pragma(connection: Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def summaries(settings: Settings) -> set[str]:
    connection = open_connection(settings, writes=False)
    rows = connection.execute("SELECT summary FROM memory").fetchall()
    connection.close()
    return {summary for (summary,) in rows}


def fill(settings: Settings, count: int = 1) -> None:
    """Make a file with some memories."""
    connection = open_connection(settings)
    with transaction(connection):
        for number in range(count):
            write_one(connection, settings, f"The office number {number} is in Lisbon")
    connection.close()


# How it is opened


@pytest.mark.parametrize(
    ("sqlite_version", "expected"),
    [
        ((3, 37, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
        ((3, 53, 4), False),
    ],
)
def test_the_libraries_that_can_corrupt_a_wal_file_are_known(
    sqlite_version: tuple[int, int, int], expected: bool
) -> None:
    assert has_wal_bug(sqlite_version) is expected


def test_a_connection_is_durable_waits_for_others_and_keeps_its_references(connection: Connection) -> None:
    assert pragma(connection, "journal_mode") == ("delete" if has_wal_bug() else "wal")
    assert pragma(connection, "synchronous") == 2
    assert pragma(connection, "busy_timeout") == 10_000
    assert pragma(connection, "foreign_keys") == 1
    assert pragma(connection, "recursive_triggers") == 1
    assert pragma(connection, "mmap_size") == 0
    assert pragma(connection, "application_id") == int.from_bytes(b"FirM")
    assert pragma(connection, "integrity_check") == "ok"


def test_pythons_own_library_gives_a_new_file_the_journal_that_is_safe_with_it(settings: Settings) -> None:
    done = in_another_process(
        """
        import sys
        sys.modules["pysqlite3"] = None
        from pathlib import Path
        from firmmem.store.sqlite import has_wal_bug
        from firmmem.store.opening import open_connection
        from firmmem.store.sqlite import library
        from firmmem.settings import Settings
        connection = open_connection(Settings(db=Path(sys.argv[1])))
        print(library.__name__, has_wal_bug(), *connection.execute("PRAGMA journal_mode").fetchone())
        """,
        settings.db,
    )
    assert done.stdout in ("sqlite3 True delete\n", "sqlite3 False wal\n"), done.stderr
    connection = open_connection(settings)  # the mode belongs to the file
    assert pragma(connection, "journal_mode") == done.stdout.split()[-1]
    connection.close()


def test_file_and_companions_are_their_owners_alone_and_folders_are_made(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "new" / "folder" / "firmmem.db")
    fill(settings)
    connection = open_connection(settings)
    with transaction(connection):
        write_one(connection, settings, "Another")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in settings.db.parent.iterdir()}
    connection.close()
    assert set(modes.values()) == {0o600}
    assert "firmmem.db" in modes
    assert stat.S_IMODE(settings.db.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name",
    ["with space.db", "what?.db", "a#b.db", "100%.db", "%41.db", "记忆.db", "file:x?mode=ro", "quote'.db", "é.db"],
)
def test_any_name_of_a_file_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name.replace(".db", "")
    settings = Settings(db=folder / name)
    fill(settings)
    assert [path.name for path in folder.iterdir()] == [name]
    assert len(summaries(settings)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_utf_8_is_taken_as_it_is(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / os.fsdecode(b"\xff\xfe.db"))
    fill(settings)
    assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [b"\xff\xfe.db"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_opens_the_file_it_points_to(tmp_path: Path, exists: bool) -> None:
    real = Settings(db=tmp_path / "real" / "firmmem.db")
    real.db.parent.mkdir()
    if exists:
        fill(real)
    link = Settings(db=tmp_path / "link.db")
    link.db.symlink_to(real.db)
    fill(link, 2)
    assert link.db.is_symlink()
    assert len(summaries(real)) == 2
    assert stat.S_IMODE(real.db.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.db", "real"]


def test_an_empty_file_becomes_a_new_one(settings: Settings) -> None:
    settings.db.touch()
    fill(settings)
    assert len(summaries(settings)) == 1


def test_an_open_file_is_opened_again_while_another_process_writes(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        write_one(connection, settings, "Not committed yet")
        other = connect(settings.db)
        other.execute("PRAGMA busy_timeout = 0")
        other.close()
        again = open_connection(settings)  # would wait for ten seconds, and fail
        assert again.execute("SELECT count(*) FROM memory").fetchone()[0] == 0
        again.close()


def test_the_server_opens_an_existing_file_by_nothing_but_sqlite(settings: Settings) -> None:
    fill(settings)
    done = in_another_process(
        """
        import sys, os
        from pathlib import Path
        import anyio
        from firmmem.contract import Question
        from firmmem.store.database import open_database
        from firmmem.memory.recall.recall import recall
        from firmmem.settings import Settings
        from support.stores import write_one, START
        path = Path(sys.argv[1])
        sys.addaudithook(lambda event, args: print("opened", *args) if event == "open"
            and str(path) in str(args[0]) else None)
        async def main():
            settings = Settings(db=path)
            async with open_database(settings) as database:
                await database.write(write_one, settings, "One more")
                print(len((await recall(database, Question("default"), now=START)).memories))
        anyio.run(main)
        """,
        settings.db,
    )
    assert done.stdout == "2\n", done.stderr


# Its transactions


async def test_fifty_reads_and_writes_at_once_are_all_done(database: Database, settings: Settings) -> None:
    ids: list[int] = []

    async def write(number: int) -> None:
        ids.append((await database.write(write_one, settings, f"Fact {number}")).id)

    async def read() -> None:
        await recall(database, Question("default", query="fact"), now=START)

    async with anyio.create_task_group() as tasks:
        for number in range(25):
            tasks.start_soon(write, number)
            tasks.start_soon(read)
    assert sorted(ids) == list(range(1, 26))
    assert len(summaries(settings)) == 25


async def test_a_write_that_raises_half_way_leaves_nothing_and_no_open_transaction(
    database: Database, settings: Settings
) -> None:
    def half(connection: Connection) -> None:
        write_one(connection, settings, "Half of it")
        raise ValueError("bad text")

    with pytest.raises(ValueError, match="bad text"):
        await database.write(half)
    assert await anyio.to_thread.run_sync(write_elsewhere, settings.db, "Another's") == "stored"
    await database.write(write_one, settings, "And ours")
    assert summaries(settings) == {"Another's", "And ours"}


async def test_a_write_cancelled_at_any_moment_is_whole_or_absent_and_all_can_write_after_it(
    database: Database, settings: Settings
) -> None:
    chance = random.Random(7)  # noqa: S311

    def pair(connection: Connection, number: int) -> None:
        write_one(connection, settings, f"First of {number}")
        write_one(connection, settings, f"Second of {number}")

    async def cancelled_after(turns: int, number: int) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(database.write, pair, number))
            for _ in range(turns):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()

    for number in range(60):
        await cancelled_after(chance.choice([0, 1, 2, 5, 20, 100, 400]), number)
        await database.read(pragma, "user_version")
        if number % 20 == 0:
            assert await anyio.to_thread.run_sync(write_elsewhere, settings.db, f"Another's {number}") == "stored"
    await database.write(write_one, settings, "The last")
    stored = summaries(settings)
    assert {f"First of {number}" in stored for number in range(60)} <= {True, False}
    assert [f"First of {n}" in stored for n in range(60)] == [f"Second of {n}" in stored for n in range(60)]
    assert "The last" in stored


async def test_opening_that_is_cancelled_at_any_moment_holds_no_lock(settings: Settings) -> None:
    for turns in range(0, 60, 4):

        async def opened() -> None:
            async with open_database(settings) as database:
                await database.write(write_one, settings, "Written once")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(opened)
            for _ in range(turns):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(write_elsewhere, settings.db, "Another's") == "stored"


async def test_a_read_sees_one_moment_though_others_write_between_its_statements(
    database: Database, settings: Settings
) -> None:
    other = open_connection(settings)
    other.execute("PRAGMA busy_timeout = 0")

    def counts(connection: Connection) -> list[int]:
        seen = []
        for number in range(2):
            seen.append(connection.execute("SELECT count(*) FROM memory").fetchone()[0])
            try:
                with transaction(other):
                    write_one(other, settings, f"Between {number}")
            except Error:
                assert has_wal_bug()  # with a rollback journal the writer waits instead
        return seen

    assert await database.read(counts) == [0, 0]
    other.close()


async def test_the_reading_connection_writes_nothing(database: Database, settings: Settings) -> None:
    with pytest.raises(ReadOnlyFileError):
        await database.read(write_one, settings, "By the wrong way")
    assert summaries(settings) == set()


async def test_a_file_held_by_another_is_told_as_busy(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmmem.store.statements.BUSY_SECONDS", 0.01)
    other = open_connection(settings)
    async with open_database(settings) as database:
        with transaction(other), pytest.raises(BusyFileError, match="call again"):
            await database.write(write_one, settings, "Later")
        assert (await database.write(write_one, settings, "Later")).status == "stored"
    other.close()


# What is said when it can't be used


def damaged_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def damaged_page_size(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(16)
        file.write(b"\1\1")


def damaged_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))


def garbled_schema(path: Path) -> None:
    """Put bytes that are no UTF-8 into the schema, which SQLite quotes in its message."""
    whole = path.read_bytes().replace(b"CREATE TABLE goal", b"CREATE TALBE goal")
    path.write_bytes(whole.replace(b"tablegoalgoal", b"table\xc1oal\xc1oal"))


def garbled_texts(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"office", b"off\xc1\xffe"))


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def text(path: Path) -> None:
    path.write_text("Dear diary, " * 1000)


def two_bytes(path: Path) -> None:
    path.write_bytes(b"xy")


@pytest.mark.parametrize(
    "damage",
    [damaged_header, damaged_page_size, damaged_pages, garbled_schema, garbled_texts, truncated, text, two_bytes],
    ids=lambda each: each.__name__,
)
async def test_a_damaged_file_is_told_and_left_as_it_is(settings: Settings, damage: Callable[[Path], None]) -> None:
    fill(settings, 300)
    damage(settings.db)
    before = settings.db.read_bytes()
    with pytest.raises(DamagedFileError) as told:
        await read_all(settings)
    assert advises_well(str(told.value), settings.db)
    assert settings.db.read_bytes() == before


async def read_all(settings: Settings) -> None:
    """Read what a recall reads, and every row."""
    async with open_database(settings) as database:
        await recall(database, Question("default", query="office", limit=100, token_budget=20_000), now=START)
        await database.read(lambda connection: connection.execute("SELECT * FROM memory").fetchall())


def advises_well(message: str, path: Path) -> bool:
    """Say whether a message names the file, and advises to keep what belongs to it."""
    return path.name in message and not any(word in message for word in ("delete", "remove", "rm "))


@pytest.mark.parametrize("lost", ["emptied", "gone"])
def test_a_file_lost_beside_its_wal_does_not_become_a_new_one(settings: Settings, lost: str) -> None:
    connection = open_connection(settings)
    if has_wal_bug():
        connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        write_one(connection, settings, "Only in the WAL so far")
    alone = settings.db.parent / "alone"
    alone.mkdir()
    for path in settings.db.parent.glob("firmmem.db*"):
        shutil.copy(path, alone)
    connection.close()
    copy = Settings(db=alone / "firmmem.db")
    kept = copy.db.read_bytes()
    if lost == "gone":
        copy.db.unlink()
    else:
        os.truncate(copy.db, 0)
    with pytest.raises(DamagedFileError) as told:
        open_connection(copy)
    assert advises_well(str(told.value), copy.db)
    copy.db.write_bytes(kept)
    assert summaries(copy) == {"Only in the WAL so far"}


def test_a_folder_is_told(settings: Settings) -> None:
    settings.db.mkdir()
    with pytest.raises(IncompatibleFileError, match="is a folder: name a file in it with FIRMMEM_DB"):
        open_connection(settings)


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnavailableError, match="can't be opened"):
        open_connection(Settings(db=tmp_path / "file" / "firmmem.db"))


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.db").symlink_to(tmp_path / "b.db")
    (tmp_path / "b.db").symlink_to(tmp_path / "a.db")
    with pytest.raises(UnavailableError, match="can't be"):
        open_connection(Settings(db=tmp_path / "a.db"))


def test_a_read_only_file_with_an_older_schema_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(settings)
    known = scripts()
    monkeypatch.setattr("firmmem.store.migrate.scripts", lambda: (*known, ""))
    monkeypatch.setattr("firmmem.store.opening.scripts", lambda: (*known, ""))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ReadOnlyFileError, match=f"older schema {len(known)} and can't be written"):
        open_connection(settings)


AS_ANOTHER_USER = """
    import os, sys, tempfile
    from pathlib import Path
    user = int(sys.argv[2])
    from firmmem.contract import Question
    from firmmem.store.database import open_database
    from firmmem.errors import UnavailableError
    from firmmem.memory.recall.recall import recall
    from firmmem.settings import Settings
    from support.stores import START, write_one
    import anyio
    async def main(path):
        settings = Settings(db=path)
        try:
            async with open_database(settings) as database:
                print(len((await recall(database, Question("default", query="office"), now=START)).memories))
                await database.write(write_one, settings, "One more")
        except UnavailableError as error:
            print(type(error).__name__, error)
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(main, Path(folder) / "warm.db")  # reads all that the other user may not
    print("--")
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    anyio.run(main, Path(sys.argv[1]))
"""


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def as_another_user(path: Path) -> str:
    """Recall and write in a process that root's rights do not help; return what it says."""
    done = in_another_process(AS_ANOTHER_USER, path, OTHER_USER if os.getuid() == 0 else 0)
    assert done.stderr == ""
    return done.stdout.partition("--\n")[2]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
@pytest.mark.parametrize("open_meanwhile", [False, True])
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
def test_a_read_only_file_can_be_recalled_from_and_writes_say_so(
    shared_folder: Path, file_mode: int, folder_mode: int, open_meanwhile: bool
) -> None:
    settings = Settings(db=shared_folder / "firmmem.db")
    fill(settings, 3)
    writer = open_connection(settings) if open_meanwhile else None
    if writer:
        with transaction(writer):
            write_one(writer, settings, "The office of the one who writes is in Lisbon")
    for path in shared_folder.iterdir():
        path.chmod(file_mode)
    shared_folder.chmod(folder_mode)
    said = as_another_user(settings.db).splitlines()
    shared_folder.chmod(0o755)
    if writer:
        writer.close()
    assert said[0] == ("4" if open_meanwhile else "3")
    assert said[1].startswith("ReadOnlyFileError")
    assert "recall still works" in said[1]
    assert len(summaries(settings)) == int(said[0])


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_an_unreadable_file_is_told(shared_folder: Path, what: str) -> None:
    settings = Settings(db=shared_folder / "firmmem.db")
    fill(settings)
    (settings.db if what == "file" else shared_folder).chmod(0)
    said = as_another_user(settings.db)
    shared_folder.chmod(0o755)
    assert said.startswith("UnavailableError")
    assert "permissions" in said


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_a_folder_that_can_not_be_written_is_told(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)
    said = as_another_user(shared_folder / "new" / "firmmem.db")
    assert said.startswith("UnavailableError")
    assert "Permission denied" in said


def test_every_statement_that_is_asked_for_by_name_is_there(connection: Connection, settings: Settings) -> None:
    assert fetch(connection, "keying")[0]["draft"] == settings.draft_half_life
    assert find(connection, Question("default"), settings, now=START).memories == ()
