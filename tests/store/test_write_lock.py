"""Turns: processes that write one file wait for each other finely, and never for one that has stopped."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.stores import in_another_process, write_one

from firmmem.settings import Settings
from firmmem.store import write_lock
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error, connect
from firmmem.store.statements import transaction

HOLD = """
    import sys, time
    from pathlib import Path
    from firmmem.store import write_lock
    with write_lock.side_lock(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(30)
"""


@pytest.fixture
def holder(settings: Settings) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the side lock of the file."""
    write_lock.make_lock_file(settings.db)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(settings.db)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_what_succeeds_at_once_is_tried_once() -> None:
    tried = []
    assert write_lock.poll_until(lambda: not tried.append(1), 0.0)
    assert tried == [1]


def test_what_never_succeeds_is_given_up_in_time() -> None:
    began = time.monotonic()
    assert not write_lock.poll_until(lambda: False, 0.05)
    assert 0.05 <= time.monotonic() - began < 2


def test_a_write_waits_for_another_and_then_has_its_turn(settings: Settings) -> None:
    one, other = open_connection(settings), connect(settings.db, isolation_level=None)
    with transaction(one):
        write_one(one, settings, "First")
        with pytest.raises(Error, match="locked"):
            write_lock.begin_write(other, "BEGIN IMMEDIATE", 0.05)
    write_lock.begin_write(other, "BEGIN IMMEDIATE", 0.05)
    assert other.execute("PRAGMA busy_timeout").fetchone()[0] == 50
    other.execute("ROLLBACK")
    other.close()
    one.close()


def test_an_error_that_is_not_about_another_process_is_raised_at_once(settings: Settings) -> None:
    one = open_connection(settings)
    with pytest.raises(Error, match="syntax"):
        write_lock.begin_write(one, "BEGIN AT ONCE", 10.0)
    one.close()


def test_without_the_marker_there_is_no_side_lock(settings: Settings) -> None:
    with write_lock.side_lock(settings.db):
        pass
    with write_lock.side_lock(None):
        pass
    assert not write_lock.lock_path(settings.db).exists()


def test_a_library_with_the_bug_that_meets_a_wal_file_makes_all_writers_take_the_side_lock(settings: Settings) -> None:
    open_connection(settings).close()
    for path in settings.db.parent.iterdir():
        assert "turn" not in path.name
    wal = connect(settings.db)
    if wal.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        wal.execute("PRAGMA journal_mode = WAL")
    wal.close()
    done = in_another_process(
        """
        import sys
        sys.modules["pysqlite3"] = None
        from pathlib import Path
        from firmmem.store.sqlite import has_wal_bug
        from firmmem.store.opening import open_connection
        from firmmem.store.statements import transaction
        from firmmem.settings import Settings
        from support.stores import write_one
        settings = Settings(db=Path(sys.argv[1]))
        connection = open_connection(settings)
        with transaction(connection):
            print(has_wal_bug(), write_one(connection, settings, "By a library with the bug").status)
        connection.close()
        """,
        settings.db,
    )
    assert done.stdout in ("True stored\n", "False stored\n"), done.stderr
    assert write_lock.lock_path(settings.db).exists() is done.stdout.startswith("True")


def test_the_side_lock_is_waited_for(settings: Settings, holder: "subprocess.Popen[str]") -> None:
    descriptor = os.open(write_lock.lock_path(settings.db), os.O_RDWR)
    assert not write_lock.locked(descriptor)
    holder.kill()
    holder.wait()
    assert write_lock.poll_until(lambda: write_lock.locked(descriptor), 5.0)
    os.close(descriptor)


@pytest.mark.skipif(os.name != "posix", reason="a process is stopped by a signal")
def test_a_holder_that_is_stopped_delays_one_write_and_no_more(
    settings: Settings, holder: "subprocess.Popen[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_lock, "SIDE_S", 0.3)
    os.kill(holder.pid, signal.SIGSTOP)
    connection = open_connection(settings)
    began = time.monotonic()
    for number in range(20):
        with transaction(connection):
            write_one(connection, settings, f"While it is stopped, {number}")
    assert time.monotonic() - began < 3
    connection.close()


def test_a_folder_in_place_of_the_marker_stops_nobody(settings: Settings, tmp_path: Path) -> None:
    connection = open_connection(settings)
    write_lock.lock_path(settings.db).mkdir()
    write_lock.make_lock_file(settings.db)
    with transaction(connection):
        assert write_one(connection, settings, "All the same").status == "stored"
    connection.close()
