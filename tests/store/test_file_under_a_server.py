"""A file that is replaced, deleted or closed to a running server: what was answered is kept."""

import signal
from pathlib import Path

import pytest
from support.real_server import posix, rows, server, write
from support.stdio_client import StdioClient
from support.stores import write_one

from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import has_wal_bug
from firmmem.store.statements import transaction


@posix
def test_a_server_whose_file_is_replaced_serves_the_new_one(client: StdioClient, settings: Settings) -> None:
    assert write(client, "In the old file").startswith("stored")
    other = Settings(db=settings.db.with_name("other.db"))
    file = open_connection(other)
    with transaction(file):
        write_one(file, other, "In the new file")
    file.close()
    other.db.replace(settings.db)
    assert "In the new file" in client.text("firmmem_recall_memory")
    assert write(client, "Written after").startswith("stored #2")
    assert client.close() == 0
    assert rows(settings.db) == {1: "In the new file", 2: "Written after"}


@posix
def test_a_server_whose_file_is_deleted_says_so_and_makes_none(client: StdioClient, settings: Settings) -> None:
    assert write(client, "Before").startswith("stored")
    settings.db.unlink()
    for _ in range(2):
        assert write(client, "Nowhere").startswith("unavailable: ")
        assert "put it back" in client.text("firmmem_recall_memory")
    assert not settings.db.exists()
    assert client.close() == 0
    assert not settings.db.exists()


@posix
@pytest.mark.skipif(has_wal_bug(), reason="the rollback journal leaves nothing beside the file")
def test_a_wal_deleted_under_a_server_costs_no_answered_write(client: StdioClient, settings: Settings) -> None:
    answered = 0
    for number in range(3):
        for turn in range(5):
            answered += write(client, f"statement {turn} before {number}").startswith("stored")
        Path(f"{settings.db}-wal").unlink()
        if number:
            Path(f"{settings.db}-shm").unlink(missing_ok=True)
    assert write(client, "The last").startswith("stored")
    client.kill()
    assert answered == 15
    assert len(rows(settings.db)) == 16
    file = open_connection(settings, writes=False)
    assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    file.close()


@posix
def test_permissions_taken_from_an_open_file_lose_nothing(client: StdioClient, settings: Settings) -> None:
    assert write(client, "Before").startswith("stored")
    settings.db.chmod(0o400)
    said = write(client, "After")
    assert said.startswith(("stored", "unavailable: "))
    settings.db.chmod(0o600)
    assert write(client, "Later").startswith("stored")
    assert client.close() == 0
    assert ("After" in rows(settings.db).values()) is said.startswith("stored")


@posix
@pytest.mark.parametrize("end", ["SIGTERM", "the end of input"])
def test_a_server_that_ends_while_it_is_busy_keeps_what_it_answered(settings: Settings, end: str) -> None:
    with server(settings.db) as client:
        client.initialize()
        for number in range(60):
            call = {"name": "firmmem_write_event_memory", "arguments": {"summary": f"statement {number}"}}
            client.send("tools/call", call, id_=1000 + number)
        first = client.receive()
        if end == "SIGTERM":
            client.process.send_signal(signal.SIGTERM)
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        answers = [first, *client.rest()]
        assert client.wait() == 0
    stored = [part["text"] for each in answers for part in each.get("result", {}).get("content", [])]
    ids = {int(text.split("#")[1].split()[0]) for text in stored if text.startswith("stored")}
    assert ids
    assert ids <= rows(settings.db).keys()
