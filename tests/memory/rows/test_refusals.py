"""Writes that were not stored: told by the first word of a normal answer, and counted where a person looks."""

import json
import os
import sys
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient
from support.stores import START

from firmmem.errors import BusyFileError, FullDiskError, MissingFileError, RefusedTextError, UnavailableError
from firmmem.memory.rows.refusals import OTHER, Refusals, reason_for
from firmmem.settings import Settings
from firmmem.store.database import open_database

SECRET = "The key is ghp_" + "a1B2" * 9


def counted(firmmem: Firmmem) -> str:
    findings = json.loads(firmmem("doctor", "--json").out)["findings"]
    [said] = [each["said"] for each in findings if each["check"] == "not stored"]
    return str(said)


@pytest.mark.skipif(os.name != "posix", reason="a hard link as POSIX has it")
def test_what_was_not_stored_is_counted_by_reason_across_processes_and_never_quoted(tmp_path: Path) -> None:
    firmmem = Firmmem(tmp_path)
    for _ in range(2):
        with StdioClient([sys.executable, "-m", "firmmem"], env=firmmem.environment()) as client:
            client.initialize()
            assert client.text("firmmem_write_event_memory", summary="The cat sleeps").startswith(("stored", "already"))
            os.link(firmmem.db, tmp_path / "second.db")
            answers = [client.call("firmmem_write_event_memory", summary=f"Dog {n}") for n in range(2)]
            client.text("firmmem_recall_memory")
            (tmp_path / "second.db").unlink()
            answers.append(client.call("firmmem_write_event_memory", summary=SECRET))
            assert client.close() == 0
        words = [answer["content"][0]["text"].partition(": ")[0] for answer in answers]
        assert words == ["unavailable", "unavailable", "refused"]
        assert not any(answer.get("isError") for answer in answers)
    said = counted(firmmem)
    assert "4× unavailable (the file had several names), last " in said
    assert "2× refused (no memory: a transcript, a secret, or too long), last " in said
    assert "ghp_" not in said


def test_a_file_without_refusals_says_so(tmp_path: Path) -> None:
    firmmem = Firmmem(tmp_path)
    firmmem.does("core", "add", "Is called Ada")
    assert counted(firmmem) == "no write was refused"


async def test_what_the_file_does_not_take_waits_and_is_added_up(settings: Settings) -> None:
    refusals = Refusals()
    async with open_database(settings) as database:
        refusals.note("unavailable", "the disk was full", now=START)
        away = settings.db.with_name("away.db")
        settings.db.rename(away)
        await refusals.flush(database)
        refusals.note("unavailable", "the disk was full", now=START + 5)
        away.rename(settings.db)
        await refusals.flush(database)
        await refusals.flush(database)
        assert await database.read(rows) == [("unavailable", "the disk was full", 2, START + 5)]


def rows(connection: object) -> list[tuple[object, ...]]:
    return [tuple(row) for row in connection.execute("SELECT * FROM refusal")]  # type: ignore[attr-defined]


def test_each_error_has_a_reason_of_its_own_or_of_its_kind() -> None:
    assert reason_for(BusyFileError("x")) == "another process held the file"
    assert reason_for(FullDiskError("x")) == "the disk was full"
    assert reason_for(MissingFileError("x")) == "the file was moved or deleted"
    assert reason_for(RefusedTextError("x")).startswith("no memory")
    assert reason_for(UnavailableError("x")) == OTHER
