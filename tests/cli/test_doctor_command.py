"""`firmmem doctor`: each thing that can be wrong is said, by its exit code too, and nothing is changed by looking."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.firmmem_command import Firmmem, Ran
from support.stdio_client import StdioClient

from firmmem.doctor import location_checks
from firmmem.settings import Settings, variable_name

posix = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
DAMAGE = """
import sys
from firmmem.store.sqlite import connect
file = connect(sys.argv[1])
file.execute(sys.argv[2])
file.commit()
file.close()
"""


@pytest.fixture
def filled(firmmem: Firmmem) -> Firmmem:
    firmmem.does("core", "add", "Is called Ada", "--subject", "user.name")
    return firmmem


def damage(firmmem: Firmmem, statement: str) -> None:
    done = firmmem(firmmem.db, statement, program=("-c", DAMAGE))
    assert done.code == 0, done.err


def report(ran: Ran) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(ran.out)
    return told


def level(ran: Ran, check: str) -> list[str]:
    return [each["level"] for each in report(ran)["findings"] if each["check"] == check]


def test_a_file_that_is_well_is_said_to_be_so_and_not_touched(filled: Firmmem) -> None:
    before = hashlib.sha256(filled.db.read_bytes()).digest()
    ran = filled("doctor")
    assert ran.code == 0, ran.out
    assert "Nothing is wrong." in ran.out
    for said in ("SQLite 3.", "schema ", "every page and row is whole; 1 memories", "synchronous=FULL", "its owner"):
        assert said in ran.out
    assert hashlib.sha256(filled.db.read_bytes()).digest() == before


@posix
def test_a_file_with_two_names_is_told_by_it_and_by_the_server(filled: Firmmem) -> None:
    os.link(filled.db, filled.folder / "other.db")
    ran = filled("doctor", "--json")
    assert (ran.code, level(ran, "names")) == (1, ["wrong"])
    with StdioClient([sys.executable, "-m", "firmmem"], env=filled.environment()) as client:
        client.initialize()
        client.text("firmmem_recall_memory")
        assert "has 2 names" in client.stderr()
        assert client.close() == 0


def test_it_is_told_as_json_too_with_every_setting_and_where_it_came_from(filled: Firmmem) -> None:
    file = filled.folder / "settings.env"
    file.write_text("DRAFT_BASE_HALF_LIFE=9\n", encoding="utf-8")
    ran = filled("doctor", "--json", FIRMMEM_ENV_FILE=str(file), CONSOLIDATION_BASE="0.7")
    told = report(ran)
    assert told["ok"] is True
    assert set(told["settings"]) == {variable_name(field) for field in Settings.model_fields}
    assert told["settings"]["DRAFT_BASE_HALF_LIFE"] == {"value": "9", "origin": str(file)}
    assert told["settings"]["CONSOLIDATION_BASE"] == {"value": "0.7", "origin": "environment"}
    assert told["settings"]["FEEDBACK_POS_DELTA"] == {"value": "0.1", "origin": "default"}
    other = report(filled("doctor", "--json", "--db", filled.folder / "other.db"))
    assert other["settings"]["FIRMMEM_DB"]["origin"] == "--db"


def test_no_file_is_made_by_looking(firmmem: Firmmem) -> None:
    ran = firmmem("doctor")
    assert ran.code == 0
    assert "does not exist yet" in ran.out
    assert not firmmem.db.exists()


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (b"not a database " * 500, "damaged or no SQLite file"),
        (b"", "is empty"),
    ],
)
def test_a_file_that_can_not_be_used_is_told(firmmem: Firmmem, damaged: bytes, said: str) -> None:
    firmmem.db.write_bytes(damaged)
    ran = firmmem("doctor")
    assert said in ran.out
    assert ran.code == (1 if damaged else 0)


def test_a_schema_that_is_garbled_is_told(filled: Firmmem) -> None:
    whole = filled.db.read_bytes().replace(b"CREATE TABLE goal", b"CREATE TALBE goal")
    filled.db.write_bytes(whole.replace(b"tablegoalgoal", b"table\xc1oal\xc1oal"))
    ran = filled("doctor")
    assert ran.code == 1
    assert "WRONG   file: " in ran.out
    assert "damaged or no SQLite file" in ran.out


def test_a_damaged_table_is_told_from_a_damaged_index(filled: Firmmem) -> None:
    damage(filled, "UPDATE memory_words_data SET block = x'deadbeef'")
    ran = filled("doctor", "--json")
    assert ran.code == 1
    assert level(ran, "search index") == ["wrong"]
    assert level(ran, "integrity") == ["ok"]


def test_an_index_that_tells_of_other_words_than_the_memories_is_found(filled: Firmmem) -> None:
    damage(filled, "DROP TRIGGER memory_words_update")
    damage(filled, "INSERT INTO memory_words (rowid, words, repeated) VALUES (77, 'ghost', '')")
    ran = filled("doctor", "--json")
    assert level(ran, "search index") == ["wrong"]


def test_a_damaged_index_is_repaired_while_a_server_runs(filled: Firmmem) -> None:
    with StdioClient([sys.executable, "-m", "firmmem"], env=filled.environment()) as client:
        client.initialize()
        assert "Ada" in client.text("firmmem_recall_memory", query="Ada")
        damage(filled, "DELETE FROM memory_words_data")
        said = client.text("firmmem_recall_memory", query="called Ada")
        assert "Is called Ada" in said
        assert "search index is damaged" in said
        ran = filled("doctor", "--repair")
        assert ran.code == 0, ran.out
        assert "built again" in ran.out
        said = client.text("firmmem_recall_memory", query="called Ada")
        assert "Is called Ada" in said
        assert "damaged" not in said
    assert "nothing to repair" in filled("doctor", "--repair").out


def test_rows_that_refer_to_nothing_are_told(filled: Firmmem) -> None:
    damage(filled, "INSERT INTO exposure VALUES (999, 1, 0.0)")
    ran = filled("doctor", "--json")
    assert level(ran, "integrity") == ["wrong"]


@posix
def test_a_file_that_others_may_read_is_warned_of(filled: Firmmem) -> None:
    filled.db.chmod(0o644)
    ran = filled("doctor", "--json")
    assert level(ran, "permissions") == ["warning"]
    assert ran.code == 0


HOLDER = """
import sys
from pathlib import Path
from firmmem.store.opening import open_connection
from firmmem.settings import Settings

connection = open_connection(Settings(db=Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who has a file open")
def test_other_processes_are_seen_and_one_that_holds_a_deleted_file_is_wrong(filled: Firmmem) -> None:
    with StdioClient([sys.executable, "-m", "firmmem"], env=filled.environment()) as client:
        client.initialize()
        client.text("firmmem_recall_memory")
        ran = filled("doctor")
        assert f"open in process {client.process.pid}" in ran.out
    command = [sys.executable, "-c", HOLDER, str(filled.db)]  # a server would soon open the new one by itself
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        copy = filled.folder / "copy.db"
        copy.write_bytes(filled.db.read_bytes())
        copy.replace(filled.db)
        ran = filled("doctor")
    assert ran.code == 1
    assert f"process {holder.pid}" in ran.out
    assert "was deleted or replaced" in ran.out


def test_a_wrong_setting_is_told(firmmem: Firmmem) -> None:
    ran = firmmem("doctor", DRAFT_BASE_HALF_LIFE="a week")
    assert ran.code == 1
    assert "DRAFT_BASE_HALF_LIFE" in ran.out


def test_a_model_that_is_asked_for_and_missing_is_wrong(filled: Firmmem) -> None:
    ran = filled("doctor", "--json", ENABLE_SEMANTIC_RERANK="true", FIRMMEM_MODEL="no-such-model")
    assert level(ran, "model") == ["wrong"]
    assert ran.code == 1


def test_no_connection_is_tried_by_a_session_and_the_hook_sees_one_that_is(filled: Firmmem) -> None:
    ran = filled("doctor", "--prove-offline")
    assert ran.code == 0, ran.out
    assert "0 connections tried (the hook saw the 1 made to test it)" in ran.out
    assert "Limits:" in ran.out


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("Dropbox", "Dropbox"),
        ("OneDrive - Example Ltd", "OneDrive"),
        ("Library/Mobile Documents/com~apple~CloudDocs", "iCloud"),
        ("坚果云", ""),
        ("我的坚果云", "Nutstore"),
        ("boxing", ""),
    ],
)
def test_folders_that_are_synchronised_are_known_by_their_names(tmp_path: Path, folder: str, service: str) -> None:
    assert location_checks.sync_service(tmp_path / folder / "deep" / "firmmem.db") == service


def test_a_synchronised_folder_is_known_by_what_the_service_leaves_there(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()
    assert location_checks.sync_service(tmp_path / "below" / "firmmem.db") == "Syncthing"
    [finding] = [
        each for each in location_checks.check_folders(tmp_path / "below" / "firmmem.db") if each.level == "wrong"
    ]
    assert "Syncthing" in finding.said


@pytest.mark.parametrize(("kind", "expected"), [("nfs4", "nfs4"), ("fuse.sshfs", "fuse.sshfs"), ("ext4", "")])
def test_network_file_systems_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, expected: str
) -> None:
    if os.name == "nt":
        pytest.skip("Windows tells it another way")
    monkeypatch.setattr(location_checks, "mount_kind", lambda _: kind)
    assert location_checks.network_kind(tmp_path / "firmmem.db") == expected
