"""`firmmem backup`, `restore`, `export` and `import`, each a process of its own, on real files."""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient

from firmmem.errors import BusyFileError
from firmmem.settings import Settings
from firmmem.store.backup import back_up
from firmmem.store.copy_names import new_copy_name
from firmmem.store.copying import fill_copy
from firmmem.store.opening import hold_alone
from firmmem.store.sqlite import Error, connect, has_wal_bug

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and open files as POSIX has them")


def server(firmmem: Firmmem) -> StdioClient:
    import sys

    return StdioClient([sys.executable, "-m", "firmmem"], env=firmmem.environment())


def backups(firmmem: Firmmem, kind: str = "backup") -> list[Path]:
    return sorted(path for path in firmmem.folder.iterdir() if path.name.endswith(f".{kind}"))


def test_a_backup_is_made_while_a_server_writes_and_put_back_once_it_has_ended(firmmem: Firmmem) -> None:
    with server(firmmem) as client:
        client.initialize()
        for number in range(10):
            assert client.text("firmmem_write_event_memory", summary=f"Before {number}").startswith("stored")
        said = firmmem.does("backup")
        assert "10 memories" in said
        assert "checked" in said
        [copy] = backups(firmmem)
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600 or os.name != "posix"
        assert client.text("firmmem_write_event_memory", summary="After").startswith("stored")
        if not has_wal_bug():
            refused = firmmem("backup", "restore", copy, "--yes")
            assert refused.code == 1
            assert "open in another process" in refused.err
        assert client.close() == 0
    said = firmmem.does("backup", "restore", copy, "--yes")
    assert "has 10 memories" in said
    [kept] = backups(firmmem, "replaced")
    assert "11 memories" in firmmem.does("backup", firmmem.folder / "again.db", "--db", kept)
    with server(firmmem) as client:
        client.initialize()
        assert "After" not in client.text("firmmem_recall_memory", limit=100)
        assert client.text("firmmem_write_event_memory", summary="After").startswith("stored #11")


def test_nothing_is_written_between_what_is_kept_and_what_is_put_in_its_place(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    with hold_alone(firmmem.db) as held, closing(connect(firmmem.db, timeout=0, isolation_level=None)) as other:
        held.execute("SELECT count(*) FROM memory").fetchall()  # what was read is held too
        with pytest.raises(Error, match="locked"):
            other.execute("BEGIN IMMEDIATE")


def test_a_file_that_a_client_has_begun_is_not_overwritten(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    begun = firmmem.folder / "begun.db"
    firmmem.does("core", "add", "Is called Grace", "--db", begun)
    with closing(connect(firmmem.db)) as source, pytest.raises(BusyFileError, match="begun by another process"):
        fill_copy(begun, source, "DELETE")
    assert "Is called Grace" in firmmem.does("core", "list", "--db", begun)


def test_only_the_newest_backups_are_kept(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    for _ in range(4):
        firmmem.does("backup", FIRMMEM_BACKUPS_KEPT="2")
    assert len(backups(firmmem)) == 2
    for _ in range(2):
        firmmem.does("backup", FIRMMEM_BACKUPS_KEPT="0")
    assert len(backups(firmmem)) == 4


def test_what_killed_backups_left_takes_no_place_among_those_kept(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    settings = Settings(db=firmmem.db, backups_kept=2)
    first = back_up(settings, now=1_800_000_000).path
    for second, journal in ((10, "-journal"), (20, "")):
        begun = new_copy_name(firmmem.db, "backup", 1_800_000_000 + second)
        begun.write_bytes(b"SQLite format 3" if journal else b"")
        Path(f"{begun}{journal}").touch()
    later = back_up(settings, now=1_800_000_030)
    assert (first.exists(), later.rotated) == (True, ())
    back_up(settings, now=1_800_000_040)
    assert [first.exists(), len(backups(firmmem))] == [False, 2]
    assert not list(firmmem.folder.glob("*-journal"))


def test_of_backups_made_in_one_second_the_last_are_kept(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    settings = Settings(db=firmmem.db, backups_kept=2)
    made = [back_up(settings, now=1_800_000_000).path for _ in range(12)]
    assert len(set(made)) == 12
    assert set(backups(firmmem)) == set(made[-2:])


def test_the_backups_of_another_file_with_a_longer_name_are_left_alone(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    other = firmmem.folder / f"{firmmem.db.name}-old.20200101T000000Z.backup"
    other.write_bytes(b"of another file")
    for _ in range(2):
        firmmem.does("backup", FIRMMEM_BACKUPS_KEPT="1")
    assert other.exists()
    assert len(backups(firmmem)) == 2


def test_a_backup_to_a_named_file_removes_none_and_overwrites_none(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    named = firmmem.folder / "named.db"
    firmmem.does("backup", named)
    before = named.read_bytes()
    refused = firmmem("backup", named)
    assert (refused.code, refused.err) == (1, f"firmmem: {named} is there already, and is kept: name a new file.\n")
    assert named.read_bytes() == before


def test_a_damaged_file_is_moved_aside_and_replaced(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    firmmem.db.write_bytes(b"not a database " * 1000)
    firmmem.does("backup", "restore", backups(firmmem)[0], "--yes")
    assert firmmem.texts() == ["Is called Ada"]
    [kept] = backups(firmmem, "replaced")
    assert kept.read_bytes().startswith(b"not a database")


DISORDER = """
import sys
from firmmem.store.sqlite import connect
for was, is_ in (("(shelf, created_at)", "(shelf, id)"), ("(shelf, id)", "(shelf, created_at)")):
    file = connect(sys.argv[1], isolation_level=None)
    file.execute("PRAGMA writable_schema = ON")
    file.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'memory_by_created_at'", (was, is_))
    file.close()
    file = connect(sys.argv[1], isolation_level=None)
    if "id" in is_:
        file.execute("REINDEX memory_by_created_at")
    file.close()
"""


def test_a_file_whose_index_is_not_what_its_rows_are_is_moved_aside_and_replaced(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    assert firmmem(firmmem.db, program=("-c", DISORDER)).code == 0
    assert firmmem("doctor").code == 1
    with server(firmmem) as client:
        client.initialize()
        client.text("firmmem_recall_memory")
        refused = firmmem("backup", "restore", backups(firmmem)[0], "--yes")
        assert "is open in another process" in refused.err
        client.close()
    firmmem.does("backup", "restore", backups(firmmem)[0], "--yes")
    assert firmmem("doctor").code == 0
    assert firmmem.texts() == ["Is called Ada"]
    assert len(backups(firmmem, "replaced")) == 1


@posix
def test_a_damaged_file_stays_where_it_is_if_the_backup_can_not_be_copied(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    firmmem.db.write_bytes(b"not a database " * 1000)
    assert firmmem("backup", "restore", backups(firmmem)[0], "--yes", program=("-c", LITTLE_ROOM)).code == 1
    assert firmmem.db.read_bytes().startswith(b"not a database")
    assert sorted(path.suffix for path in firmmem.folder.glob(f"{firmmem.db.name}*")) == [".backup", ".db"]


LITTLE_ROOM = """
import resource
from firmmem.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
main()
"""


def test_a_lost_file_is_restored(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    firmmem.db.unlink()
    firmmem.does("backup", "restore", backups(firmmem)[0], "--yes")
    assert firmmem.texts() == ["Is called Ada"]
    assert backups(firmmem, "replaced") == []


@pytest.mark.parametrize("what", ["missing", "text", "empty", "another program's", "the file itself"])
def test_what_is_no_backup_is_refused_and_nothing_is_changed(firmmem: Firmmem, what: str) -> None:
    firmmem.does("core", "add", "Is called Ada")
    wrong = firmmem.db if what == "the file itself" else firmmem.folder / "wrong.backup"
    if what == "text":
        wrong.write_text("Dear diary, " * 1000)
    if what == "empty":
        wrong.touch()
    if what == "another program's":
        done = firmmem(wrong, program=("-c", OTHERS))
        assert done.code == 0, done.err
    assert firmmem("backup", "restore", wrong, "--yes").code == 1
    assert firmmem.texts() == ["Is called Ada"]
    assert backups(firmmem, "replaced") == []


OTHERS = """
import sys
from firmmem.store.sqlite import connect
file = connect(sys.argv[1])
file.execute("CREATE TABLE theirs (x)")
file.commit()
"""


def test_nobody_to_ask_is_told_to_say_yes(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    asked = firmmem("backup", "restore", backups(firmmem)[0])
    assert asked.code == 2
    assert "--yes" in asked.err


def test_no_file_is_made_by_a_backup_or_an_export_of_none(firmmem: Firmmem) -> None:
    assert firmmem("backup").code == 1
    assert firmmem("export").code == 1
    assert not firmmem.db.exists()


def test_an_export_into_an_empty_file_is_equal_by_hash(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "用户叫 Ada 🎉", "--subject", "user.name", "--tag", "profile")
    with server(firmmem) as client:
        client.initialize()
        client.text("firmmem_write_strategic_memory", summary="Ship in May", goal_id="beta")
        client.text("firmmem_memory_feedback", memory_ids=[2], outcome="positive")
        assert client.close() == 0
    first, second = firmmem.folder / "one.jsonl", firmmem.folder / "two.jsonl"
    told = firmmem("export", first)
    assert told.err.startswith("2 memories exported, sha256 ")
    other = firmmem.folder / "other.db"
    assert "2 memories imported" in firmmem.does("import", first, "--db", other)
    assert firmmem("export", second, "--db", other).err == told.err
    assert second.read_bytes() == first.read_bytes()
    assert firmmem.does("export") == first.read_text(encoding="utf-8")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600 or os.name != "posix"
    refused = firmmem("export", first)
    assert (refused.code, refused.err) == (1, f"firmmem: {first} is there already, and is kept: name a new file.\n")
    assert second.read_bytes() == first.read_bytes()


def test_a_core_fact_that_is_there_is_kept_and_told(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada", "--subject", "user.name")
    export = firmmem.folder / "export.jsonl"
    firmmem.does("export", export)
    other = firmmem.folder / "other.db"
    firmmem.does("core", "add", "Is called Grace", "--subject", "user.name", "--db", other)
    said = firmmem.does("import", export, "--db", other)
    assert said == (
        "kept #1: Is called Grace (not: Is called Ada)\n"
        "0 memories imported, 0 merged with what was there; core facts: 0 there already, 1 kept as they are.\n"
    )
    again = firmmem.does("import", export)
    assert (
        again == "0 memories imported, 0 merged with what was there; core facts: 1 there already, 0 kept as they are.\n"
    )


@posix
def test_an_export_that_can_not_be_read_or_made_is_told(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    assert "can't be read" in firmmem("import", firmmem.folder / "nowhere.jsonl").err
    assert "can't be made" in firmmem("export", firmmem.folder / "no" / "folder.jsonl").err
