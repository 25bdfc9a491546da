"""Servers whose file changes under them: companions deleted or replaced, a second name. No answered write is lost."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient
from support.stores import in_another_process

from firmmem.store.sqlite import has_wal_bug

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="Windows deletes no file that is open"),
    pytest.mark.skipif(has_wal_bug(), reason="the rollback journal leaves nothing next to the file"),
]


@pytest.fixture
def firmmem(tmp_path: Path) -> Firmmem:
    return Firmmem(tmp_path)


def server(db: Path) -> StdioClient:
    env = {**os.environ, "FIRMMEM_DB": str(db), "FIRMMEM_ENV_FILE": os.devnull}
    client = StdioClient([sys.executable, "-m", "firmmem"], env=env)
    client.initialize()
    return client


def write(client: StdioClient, *texts: str) -> list[str]:
    """Write texts, and return those that were answered as stored."""
    said = [(text, client.text("firmmem_write_event_memory", summary=text)) for text in texts]
    assert all(each.startswith(("stored", "unavailable: ")) for _, each in said), said
    return [text for text, each in said if each.startswith("stored")]


def texts(name: str, count: int = 10) -> list[str]:
    return [f"The {name} of room {number} is painted {number * 7}" for number in range(count)]


def in_file(db: Path) -> set[str]:
    """Return what is in a file, which is whole, by another process."""
    done = in_another_process(
        """
        import sys
        from firmmem.store.sqlite import connect
        file = connect(sys.argv[1])
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        print("\\n".join(row[0] for row in file.execute("SELECT summary FROM memory")))
        """,
        db,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def copies_of(db: Path) -> list[Path]:
    return sorted(db.parent.glob(f"{db.name}.*.rescued"))


def deleted(db: Path, *endings: str) -> None:
    for ending in endings:
        Path(f"{db}{ending}").unlink()


def replaced(db: Path, *endings: str) -> None:
    for ending in endings:
        Path(f"{db}{ending}").rename(f"{db}{ending}.away")
        Path(f"{db}{ending}").write_bytes(b"")


@contextmanager
def asleep(client: StdioClient) -> Iterator[None]:
    """Let a server notice nothing, as one does that has nothing to do."""
    client.process.send_signal(signal.SIGSTOP)
    yield
    client.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("how", [deleted, replaced])
@pytest.mark.parametrize("endings", [("-wal", "-shm"), ("-shm",)])
def test_a_server_without_its_companions_leaves_the_file_to_one_that_came_since(
    firmmem: Firmmem, how: Callable[..., None], endings: tuple[str, ...]
) -> None:
    with server(firmmem.db) as one:
        before = write(one, *texts("door"))
        with asleep(one):
            how(firmmem.db, *endings)
            other = server(firmmem.db)
            by_other = write(other, *texts("wall", 5))
        with other:
            by_one = write(one, *texts("roof", 5))
            by_other += write(other, *texts("gate", 5))
            said = one.text("firmmem_recall_memory")
            assert one.close() == 0
            assert other.close() == 0
    assert before == texts("door")
    assert by_other == texts("wall", 5) + texts("gate", 5)
    assert by_one == []
    assert said.startswith("unavailable: ")
    assert "end every client" in said
    [copy] = copies_of(firmmem.db)
    assert set(before) <= in_file(copy)
    assert "rescued" in firmmem("doctor").out
    assert set(by_other) <= in_file(firmmem.db)
    command = said.split("`")[1].replace("firmmem ", f"{sys.executable} -m firmmem ")
    assert os.system(f"FIRMMEM_ENV_FILE=/dev/null; {command} 2>{firmmem.folder}/said") == 0  # noqa: S605 - ours
    assert set(before + by_other) <= in_file(firmmem.db)


@pytest.mark.parametrize("how", [deleted, replaced])
def test_a_wal_that_is_gone_costs_nothing_where_its_index_is_still_there(
    firmmem: Firmmem, how: Callable[..., None]
) -> None:
    with server(firmmem.db) as one:
        answered = write(one, *texts("door"))
        with asleep(one):
            how(firmmem.db, "-wal")
            other = server(firmmem.db)
            answered += write(other, *texts("wall", 5))
        with other:
            answered += write(one, *texts("roof", 5))
            answered += write(other, *texts("gate", 5))
            assert one.close() == 0
            assert other.close() == 0
    kept = in_file(firmmem.db).union(*(in_file(copy) for copy in copies_of(firmmem.db)))
    assert set(texts("door")) <= set(answered) <= kept


def test_another_program_that_came_and_went_meanwhile_keeps_what_it_wrote(firmmem: Firmmem) -> None:
    with server(firmmem.db) as one:
        before = write(one, *texts("door"))
        with asleep(one):
            deleted(firmmem.db, "-wal", "-shm")
            with server(firmmem.db) as other:
                by_other = write(other, *texts("wall"))
                assert other.close() == 0
        assert write(one, *texts("roof", 3)) == []
        assert one.close() == 0
    assert by_other == texts("wall")
    assert in_file(firmmem.db) == set(by_other)
    assert set(before) <= in_file(copies_of(firmmem.db)[0])


def test_another_program_that_was_killed_meanwhile_keeps_what_it_wrote(firmmem: Firmmem) -> None:
    with server(firmmem.db) as one:
        write(one, *texts("door"))
        with asleep(one):
            deleted(firmmem.db, "-wal", "-shm")
            with server(firmmem.db) as other:
                by_other = write(other, *texts("wall"))
                other.kill()
        assert write(one, *texts("roof", 3)) == []
        assert one.terminate() == 0
    assert by_other == texts("wall")
    assert in_file(firmmem.db) == set(by_other)


def test_two_servers_whose_companions_are_deleted_keep_all_that_they_answered(firmmem: Firmmem) -> None:
    with server(firmmem.db) as one, server(firmmem.db) as other:
        answered = write(one, *texts("door")) + write(other, *texts("wall"))
        with asleep(other):
            deleted(firmmem.db, "-wal", "-shm")
            answered += write(one, *texts("roof", 3))
        assert write(other, *texts("gate", 3)) == []
        said = other.text("firmmem_recall_memory")
        assert one.close() == 0
        assert other.close() == 0
    assert "nothing that was stored is lost" in said
    assert copies_of(firmmem.db) == []
    assert in_file(firmmem.db) == set(answered) == set(texts("door") + texts("wall") + texts("roof", 3))


@pytest.mark.parametrize("endings", [("-wal", "-shm"), ("-wal",), ("-shm",)])
def test_a_server_alone_on_its_file_goes_on_after_its_companions_are_deleted(
    firmmem: Firmmem, endings: tuple[str, ...]
) -> None:
    with server(firmmem.db) as client:
        answered = write(client, *texts("door"))
        deleted(firmmem.db, *endings)
        assert "The door of room 3" in client.text("firmmem_recall_memory", query="door room 3")
        answered += write(client, *texts("roof"))
        assert Path(f"{firmmem.db}-wal").exists()
        client.kill()
    assert answered == texts("door") + texts("roof")
    assert in_file(firmmem.db) == set(answered)
    assert copies_of(firmmem.db) == []


def test_a_second_name_lets_no_server_write_until_it_is_gone(firmmem: Firmmem) -> None:
    second = firmmem.folder / "second.db"
    with server(firmmem.db) as one:
        answered = write(one, *texts("door", 3))
        os.link(firmmem.db, second)
        with server(second) as other:
            said = other.text("firmmem_write_event_memory", summary="Under the second name")
            assert said.startswith("unavailable: ")
            assert "has 2 names" in said
            assert other.text("firmmem_recall_memory")
            assert other.close() == 0
        assert write(one, "Under the first name") == []
        assert "The door of room 1" in one.text("firmmem_recall_memory", query="door room 1")
        assert "has 2 names" in firmmem("core", "add", "A fact").err
        second.unlink()
        answered += write(one, *texts("roof", 3))
        assert one.close() == 0
    assert len(answered) == 6
    assert in_file(firmmem.db) == set(answered)
