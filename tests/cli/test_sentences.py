"""What a person meant, and a sentence for it: folders, addresses, broken pipes, dashes, files that are not there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient
from support.stores import write_one

from firmmem.settings import Settings, is_address
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


@pytest.fixture
def firmmem(tmp_path: Path) -> Firmmem:
    return Firmmem(tmp_path)


@pytest.mark.parametrize("command", [["doctor"], ["recall", "tea"], ["core", "add", "Is called Ada"], ["export"]])
def test_a_folder_as_the_file_is_said_to_be_one(firmmem: Firmmem, command: list[str]) -> None:
    said = firmmem(*command, FIRMMEM_DB=str(firmmem.folder))
    assert said.code == 1
    assert "is a folder: name a file in it" in said.out + said.err
    assert "chmod" not in said.out


@pytest.mark.parametrize(
    "address", ["postgresql://ann:secret@host/memory", "sqlite:///memory.db", "https://example.com"]
)
def test_an_address_as_the_file_is_refused_in_words_without_its_password(firmmem: Firmmem, address: str) -> None:
    for said in (
        firmmem("recall", "tea", FIRMMEM_DB=address),
        firmmem("recall", "tea", "--db", address),
        firmmem("doctor", "--db", address),
    ):
        assert said.code == 1
        assert "give the path of a file" in said.err
        assert "secret" not in said.out + said.err
    doctor = firmmem("doctor", FIRMMEM_DB=address)
    assert "give the path of a file" in doctor.out
    with StdioClient([sys.executable, "-m", "firmmem"], env=firmmem.environment() | {"FIRMMEM_DB": address}) as client:
        client.initialize()
        assert client.text("firmmem_recall_memory").startswith("unavailable: ")
    assert [
        path.name for path in firmmem.folder.iterdir() if path.name.startswith(("postgres", "sqlite", "http"))
    ] == []


def test_a_drive_and_a_colon_in_a_name_are_no_addresses() -> None:
    assert not any(map(is_address, ("C:/memory.db", r"C:\memory.db", "a:b.db", "/x/postgresql:/y", "", "1:/x")))


def test_a_pipe_that_reads_no_further_ends_an_export_without_a_word(firmmem: Firmmem) -> None:
    settings = Settings(db=firmmem.db)
    connection = open_connection(settings)
    with transaction(connection):
        for number in range(2000):
            write_one(connection, settings, f"The door of room {number} is painted {number * 7}")
    connection.close()
    process = subprocess.Popen(
        [sys.executable, "-m", "firmmem", "export"],
        env=firmmem.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    process.stdout.read(300)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) != 0


def test_a_text_with_a_dash_is_found_after_two_dashes_and_explained_without(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "--", "-tea is what Ann drinks")
    refused = firmmem("recall", "-tea")
    assert refused.code == 2
    assert "comes after --" in refused.err
    assert "-tea is what Ann drinks" in firmmem.does("recall", "--", "-tea")


def test_what_is_not_there_is_said_before_anybody_is_asked(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    missing = firmmem("backup", "restore", "missing.db")
    assert missing.err.strip().endswith("there is no backup missing.db.")
    nobody = firmmem("revoke", "--client", "nobody")
    assert nobody.code == 0
    assert "No vote of 'nobody' counts" in nobody.out


@pytest.mark.parametrize(
    "program", [["-m", "firmmem", "serve"], ["-c", "from firmmem.__main__ import server; server()"]]
)
def test_serve_takes_a_file(firmmem: Firmmem, program: list[str]) -> None:
    other = firmmem.folder / "other.db"
    with StdioClient([sys.executable, *program, "--db", str(other)], env=firmmem.environment()) as client:
        client.initialize()
        assert client.text("firmmem_write_event_memory", summary="The cat sleeps").startswith("stored")
        assert client.close() == 0
    assert other.exists()
    assert not firmmem.db.exists()


def test_an_empty_file_next_to_copies_of_it_is_no_new_store(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.does("backup")
    firmmem.db.write_bytes(b"")
    refused = firmmem("core", "add", "Is called Bob")
    assert refused.code == 1
    assert "is empty, and a copy of what was in it is next to it" in refused.err
    [backup] = firmmem.folder.glob("*.backup")
    firmmem.does("backup", "restore", "--yes", backup)
    assert firmmem.texts() == ["Is called Ada"]


def test_an_empty_file_without_copies_is_begun_and_said_to_be(firmmem: Firmmem) -> None:
    firmmem.db.touch()
    os.utime(firmmem.db, (0, 0))
    assert "is empty: the first write fills it" in firmmem("doctor").out
    assert firmmem.db.stat().st_size == 0
    assert "was an empty file: a new store is begun in it" in firmmem("core", "add", "Is called Ada").err
    assert "was an empty file" not in firmmem("core", "add", "Is 40 years old").err


@pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")
def test_a_file_that_others_may_read_is_told_and_put_right(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "Is called Ada")
    firmmem.db.chmod(0o644)
    assert "other users may read" in firmmem("doctor").out
    assert "its owner alone can read and write it now" in firmmem("doctor", "--repair").out
    assert firmmem.db.stat().st_mode & 0o777 == 0o600
