"""Hosts connected and disconnected: byte by byte, or around what a person edited since; what is left alone."""

import json
import os
import sys
from pathlib import Path

import pytest

from firmmem.connect import files, journal
from firmmem.connect.changes import Set
from firmmem.connect.formats import edit, values
from firmmem.connect.hosts import ALL, Host, Start, host_named
from firmmem.connect.journal import records
from firmmem.connect.parts import file_of_part, parts_of
from firmmem.connect.places import Machine, file_of
from firmmem.connect.plan import connect, disconnect, environment, plan_connect, plan_disconnect
from firmmem.connect.status import state_of
from firmmem.errors import InvalidArgumentError

START = Start(sys.executable, ("-m", "firmmem"))
ENV = {"FIRMMEM_DB": "/home/li/记忆.db", "DEFAULT_NAMESPACE": "default"}
NOW = 1_790_000_000.0
TEXTS = {
    "yaml": "# mine\nmodel:   x\r\nmcp_servers:\n  time: {command: uvx}\n",
    "toml": '# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.time]\r\ncommand = "uvx"  # t\r\n',
    "json": '\ufeff{\r\n\t// mine\r\n\t"mcp": {},\r\n\t"servers": {"time": {"command": "uvx"},},\r\n}',
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "config_folder", lambda: tmp_path / "config")


def connected(host: Host, file: Path, namespace: str = "") -> Path | None:
    env = environment(host, file, ENV, namespace)
    return connect(plan_connect(host, file, START, env, records().get(host.key)), NOW)


def disconnected(host: Host, file: Path) -> Path | None:
    return disconnect(plan_disconnect(host, file, records().get(host.key)), NOW)


@pytest.mark.parametrize("host", ALL, ids=lambda host: host.key)
def test_an_untouched_file_comes_back_byte_by_byte(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "config.file"
    file.write_bytes(TEXTS[host.format].encode())
    file.chmod(0o640)
    backup = connected(host, file)
    assert backup is not None
    assert backup.read_bytes() == TEXTS[host.format].encode()
    assert file.stat().st_mode & 0o777 == (file.stat().st_mode & 0o777 if os.name == "nt" else 0o640)
    again = plan_connect(host, file, START, ENV, records().get(host.key))
    assert again.changes_nothing
    assert disconnected(host, file) is None
    assert file.read_bytes() == TEXTS[host.format].encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config", "config.file"]
    assert records() == {}


@pytest.mark.parametrize("host", ALL, ids=lambda host: host.key)
def test_a_file_that_was_not_there_goes_again(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "of the host" / "config.file"
    assert connected(host, file) is None
    machine_reads = values(host.format, file.read_text(encoding="utf-8"))
    assert machine_reads
    disconnected(host, file)
    assert not file.exists()


@pytest.mark.parametrize("host", ALL, ids=lambda host: host.key)
def test_what_a_person_edited_since_stays(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "config.file"
    file.write_bytes(TEXTS[host.format].encode())
    connected(host, file)
    text = file.read_bytes().decode()
    files.replace(file, edit(host.format, text, (Set(("since",), "kept"),)), text)
    backup = disconnected(host, file)
    assert backup is not None
    after = values(host.format, file.read_bytes().decode())
    assert after == values(host.format, TEXTS[host.format]) | {"since": "kept"}
    assert "mine" in file.read_text(encoding="utf-8")


def test_connecting_again_keeps_the_first_state_to_go_back_to(tmp_path: Path) -> None:
    host, file = host_named("codex"), tmp_path / "config.toml"
    file.write_text(TEXTS["toml"], encoding="utf-8", newline="")
    connected(host, file)
    connected(host, file, "work")
    assert (
        values("toml", file.read_text(encoding="utf-8"))["mcp_servers"]["firmmem"]["env"]["DEFAULT_NAMESPACE"] == "work"
    )
    connected(host, file)  # the namespace that it has stays
    disconnected(host, file)
    assert file.read_bytes() == TEXTS["toml"].encode()


def test_connecting_again_after_an_edit_can_still_be_taken_back(tmp_path: Path) -> None:
    host, file = host_named("hermes"), tmp_path / "config.yaml"
    file.write_text("memory:\n  memory_enabled: true\n", encoding="utf-8")
    connected(host, file)
    file.write_text(file.read_text(encoding="utf-8") + "since: kept\n", encoding="utf-8")
    connected(host, file, "work")
    assert disconnected(host, file) is not None
    assert values("yaml", file.read_text(encoding="utf-8")) == {"memory": {"memory_enabled": True}, "since": "kept"}


def test_a_lost_backup_is_no_obstacle(tmp_path: Path) -> None:
    host, file = host_named("cursor"), tmp_path / "mcp.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    backup = connected(host, file)
    assert backup is not None
    backup.unlink()
    disconnected(host, file)
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1}


def test_an_entry_pasted_by_hand_is_taken_over_and_taken_out(tmp_path: Path) -> None:
    host, file = host_named("cursor"), tmp_path / "mcp.json"
    env = {"FIRMMEM_X": "1", "DEFAULT_NAMESPACE": "me"}
    entry = {"command": "/old/firmmem-mcp", "autoApprove": ["recall"], "env": env}
    file.write_text(json.dumps({"mcpServers": {"firmmem": entry, "x": {}}}), encoding="utf-8")
    disconnected(host, file)
    assert json.loads(file.read_text(encoding="utf-8")) == {"mcpServers": {"x": {}}}
    file.write_text(json.dumps({"mcpServers": {"firmmem": entry}}), encoding="utf-8")
    connected(host, file)
    now = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["firmmem"]
    assert now["command"] == START.command
    assert now["autoApprove"] == ["recall"]
    assert now["env"] == ENV | {"DEFAULT_NAMESPACE": "me", "FIRMMEM_X": "1"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    host, real, link = host_named("cursor"), tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_text("{}", encoding="utf-8")
    link.symlink_to(real)
    connected(host, link)
    assert link.is_symlink()
    assert "firmmem" in real.read_text(encoding="utf-8")
    disconnected(host, link)
    assert real.read_text(encoding="utf-8") == "{}"


def test_a_change_by_another_program_while_the_person_reads_is_not_overwritten(tmp_path: Path) -> None:
    host, file = host_named("claude-code"), tmp_path / ".claude.json"
    file.write_text("{}", encoding="utf-8")
    plan = plan_connect(host, file, START, ENV, None)
    file.write_text('{"numStartups": 2}', encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="run this again"):
        connect(plan, NOW)
    assert file.read_text(encoding="utf-8") == '{"numStartups": 2}'
    assert [path.name for path in tmp_path.iterdir()] == [".claude.json"]


@pytest.mark.parametrize(
    ("host", "content"),
    [
        ("cursor", b"{"),
        ("cursor", b"[]"),
        ("cursor", b"\xff\xfe{\x00}\x00"),
        ("cursor", b'{"mcpServers": []}'),
        ("cursor", b"[" * 100_000),
        ("codex", b"a = "),
        ("hermes", b"a: [1"),
        ("hermes", b"a: 1\na: 2\n"),
        ("hermes", b"- a\n"),
        ("hermes", b"memory: words\n"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(host: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "config.file"
    file.write_bytes(content)
    with pytest.raises(InvalidArgumentError):
        connected(host_named(host), file)
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["config.file"]


def test_opencode_2_has_its_servers_a_level_deeper(tmp_path: Path) -> None:
    host, file = host_named("opencode"), tmp_path / "opencode.json"
    file.write_text('{"mcp": {"servers": {}}}', encoding="utf-8")
    connected(host, file)
    server = json.loads(file.read_text(encoding="utf-8"))["mcp"]["servers"]["firmmem"]
    assert server == {"type": "local", "command": [START.command, *START.args], "environment": ENV}


def test_the_state_of_a_host_is_read_from_its_files(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    host = host_named("hermes")
    assert not state_of(host, machine).connected
    connected(host, file_of("hermes", machine))
    state = state_of(host, machine)
    assert (state.connected, "plugin.yaml is missing" in state.trouble, state.own_memory) == (True, True, False)
    assert (state.database, state.namespace, state.command) == (ENV["FIRMMEM_DB"], "default", START.command)
    for part in parts_of(host):
        connected(part, file_of_part(part, machine))
    assert state_of(host, machine).trouble == ""
    (tmp_path / ".hermes" / "config.yaml").write_text("a: [", encoding="utf-8")
    assert "not the YAML" in state_of(host, machine).trouble


def test_what_does_not_work_is_said(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    file = file_of("opencode", machine)
    file.parent.mkdir(parents=True)
    for entry, trouble in (
        ({"command": ["/nowhere/firmmem-mcp"]}, "no program"),
        ({"command": []}, "no command"),
        ({"command": [sys.executable], "enabled": False}, "switched off"),
    ):
        file.write_text(json.dumps({"mcp": {"firmmem": entry}}), encoding="utf-8")
        assert trouble in state_of(host_named("opencode"), machine).trouble


def test_whether_another_memory_competes_is_read_where_a_file_says_so(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    assert state_of(host_named("claude-code"), machine).own_memory is True
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"autoMemoryEnabled": false}', encoding="utf-8")
    assert state_of(host_named("claude-code"), machine).own_memory is False
    (tmp_path / ".claude" / "settings.json").write_text("{", encoding="utf-8")
    assert state_of(host_named("claude-code"), machine).own_memory is None
    assert state_of(host_named("codex"), machine).own_memory is False
    assert state_of(host_named("cursor"), machine).own_memory is None


def test_damaged_records_are_said_and_nothing_is_changed(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "connected.json").write_text("[{}]", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="is damaged"):
        records()


def test_a_second_backup_of_one_second_has_its_own_name(tmp_path: Path) -> None:
    names = {files.back_up(tmp_path / "x.json", "{}", NOW).name for _ in range(3)}
    assert len(names) == 3
