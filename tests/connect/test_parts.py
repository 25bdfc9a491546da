"""Hooks and plugins: written next to what is there, replaced when FirmMem moved, taken back byte by byte."""

import json
import shlex
import sys
from pathlib import Path

import pytest
import yaml
from support.checkout import CHECKOUT

from firmmem import __version__
from firmmem.connect import journal
from firmmem.connect.changes import with_changes
from firmmem.connect.hooks import EVENTS, hook_changes, hook_command
from firmmem.connect.hosts import ALL, Host, Start, command_line, host_named
from firmmem.connect.journal import records
from firmmem.connect.parts import file_of_part, missing_parts, parts_of
from firmmem.connect.places import Machine
from firmmem.connect.plan import connect, disconnect, plan_connect, plan_disconnect
from firmmem.connect.status import state_of

START = Start("/opt/fm bin/firmmem-mcp")
ENV = {"FIRMMEM_DB": "/home/li/my memory.db", "DEFAULT_NAMESPACE": "default"}
NOW = 1_790_000_000.0
OTHERS = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "other"}]}], "Stop": []}, "x": 1}

with_hooks = pytest.mark.parametrize("key", [*EVENTS])


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "config_folder", lambda: tmp_path / "config")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine("linux", tmp_path / "home", {})


def connected(key: str, machine: Machine, start: Start = START) -> None:
    for part in parts_of(host_named(key)):
        connect(plan_connect(part, file_of_part(part, machine), start, ENV, records().get(part.key)), NOW)


def disconnected(key: str, machine: Machine) -> None:
    for part in reversed(parts_of(host_named(key))):
        disconnect(plan_disconnect(part, file_of_part(part, machine), records().get(part.key)), NOW)


def files(machine: Machine) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in machine.home.rglob("*") if file.is_file()}


def hooks_file(key: str, machine: Machine) -> Path:
    return next(
        file_of_part(each, machine) for each in parts_of(host_named(key)) if "hooks" in each.key or ":" not in each.key
    )


def read(file: Path) -> dict[str, dict[str, list[dict[str, object]]]]:
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("host", ALL, ids=lambda host: host.key)
def test_all_files_of_a_host_come_and_go(host: Host, machine: Machine) -> None:
    connected(host.key, machine)
    once = files(machine)
    assert len(once) == len(parts_of(host))
    connected(host.key, machine)
    assert files(machine) == once
    assert missing_parts(host.key, machine) == []
    disconnected(host.key, machine)
    assert files(machine) == {}
    assert records() == {}


@with_hooks
def test_hooks_are_written_next_to_those_of_others_and_taken_back(key: str, machine: Machine) -> None:
    file = hooks_file(key, machine)
    file.parent.mkdir(parents=True)
    text = json.dumps(OTHERS, indent=3)
    file.write_text(text, encoding="utf-8")
    connected(key, machine)
    there = read(file)["hooks"]
    assert there["SessionStart"][0] == OTHERS["hooks"]["SessionStart"][0]  # type: ignore[index]  # a test's constant
    assert all("firmmem" in json.dumps(there[event]) for event in EVENTS[key])
    disconnected(key, machine)
    assert file.read_text(encoding="utf-8") == text


@with_hooks
def test_hooks_of_another_installation_are_replaced_and_taken_out_without_a_record(key: str, machine: Machine) -> None:
    file = hooks_file(key, machine)
    connected(key, machine, Start("/old/firmmem-mcp"))
    connected(key, machine)
    assert "/old/" not in file.read_text(encoding="utf-8")
    for event in EVENTS[key]:
        assert len(read(file)["hooks"][event]) == 1
    (journal.config_folder() / "connected.json").unlink()
    disconnected(key, machine)
    assert "firmmem" not in file.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell's quoting")
def test_a_hook_says_by_its_words_which_memory_it_is_about() -> None:
    words = shlex.split(hook_command("codex", START, ENV))
    assert words == [
        "/opt/fm bin/firmmem", "hook", "--host", "codex", "--db", "/home/li/my memory.db", "--namespace", "default",
    ]  # fmt: skip


def test_every_kind_of_installation_has_its_command_line() -> None:
    assert command_line(Start("/x/firmmem-mcp.exe"), "hook") == Start("/x/firmmem.exe", ("hook",))
    assert command_line(Start("uvx", ("--from", "R", "firmmem-mcp")), "hook").args == ("--from", "R", "firmmem", "hook")
    assert command_line(Start("/x/python", ("-m", "firmmem")), "hook").args == ("-m", "firmmem", "hook")


def test_an_edited_file_of_a_plugin_is_kept_as_a_backup(machine: Machine) -> None:
    connected("hermes", machine)
    file = machine.home / ".hermes" / "plugins" / "firmmem" / "child.py"
    file.write_text("# mine\n", encoding="utf-8")
    (file.parent / "__pycache__").mkdir()
    (file.parent / "__pycache__" / "child.pyc").touch()
    disconnected("hermes", machine)
    assert [path.read_text(encoding="utf-8") for path in file.parent.iterdir()] == ["# mine\n"]


def test_hermes_moves_from_the_server_to_the_plugin_and_back(machine: Machine) -> None:
    file = machine.home / ".hermes" / "config.yaml"
    file.parent.mkdir(parents=True)
    entry = {"command": "/old/firmmem-mcp", "args": [], "env": {"DEFAULT_NAMESPACE": "hermes_default"}}
    before = {
        "mcp_servers": {"firmmem": entry},
        "memory": {"memory_enabled": False, "user_profile_enabled": False},
        "agent": {"disabled_toolsets": ["memory"]},
    }
    file.write_text(yaml.safe_dump(before), encoding="utf-8")
    assert state_of(host_named("hermes"), machine).connected
    connected("hermes", machine)
    now = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert now["memory"]["provider"] == "firmmem"
    assert now["memory"]["firmmem"] == {"command": "/opt/fm bin/firmmem", "args": ["provider"], "env": ENV}
    assert "mcp_servers" not in now
    assert "memory_enabled" not in now["memory"]
    assert "memory" not in now.get("agent", {}).get("disabled_toolsets", [])
    disconnected("hermes", machine)
    assert yaml.safe_load(file.read_text(encoding="utf-8")) == before


def test_hermes_is_disconnected_without_a_record_too(machine: Machine) -> None:
    connected("hermes", machine)
    (journal.config_folder() / "connected.json").unlink()
    disconnected("hermes", machine)
    assert files(machine).keys() <= {
        str(file) for file in machine.home.rglob("*") if "before-firmmem" in file.name or file.name == "config.yaml"
    }
    assert "firmmem" not in (machine.home / ".hermes" / "config.yaml").read_text(encoding="utf-8")


def test_another_memory_plugin_that_was_chosen_since_is_said(machine: Machine) -> None:
    connected("hermes", machine)
    file = machine.home / ".hermes" / "config.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("provider: firmmem", "provider: mem0"), encoding="utf-8")
    assert "memory.provider is 'mem0'" in state_of(host_named("hermes"), machine).trouble


@pytest.mark.parametrize(
    ("key", "file"),
    [
        ("claude-code", "claude-code/hooks/hooks.json"),
        ("codex", "codex/hooks.json"),
        ("cursor", "cursor/hooks.json"),
        ("gemini-cli", "gemini-cli/hooks/hooks.json"),
    ],
)
def test_the_plugins_have_the_hooks_that_connect_writes(key: str, file: str) -> None:
    shipped = json.loads((CHECKOUT / "plugins" / file).read_text(encoding="utf-8"))
    written = with_changes({}, hook_changes(key, {}, Start("firmmem-mcp"), {}))
    assert shipped["hooks"] == written["hooks"]


def test_all_manifests_name_the_version_of_the_package() -> None:
    manifests = [*(CHECKOUT / "plugins").rglob("*.json"), CHECKOUT / "plugins" / "hermes" / "plugin.yaml"]
    found = {str(file): yaml.safe_load(file.read_text(encoding="utf-8")) for file in manifests}
    versions = {name: data["version"] for name, data in found.items() if isinstance(data, dict) and "name" in data}
    assert {name: version for name, version in versions.items() if version != __version__} == {}
    assert len(versions) >= 3


def test_openclaw_is_told_of_a_memory_plugin_by_the_name_that_it_registers() -> None:
    folder = CHECKOUT / "plugins" / "openclaw"
    manifest = json.loads((folder / "openclaw.plugin.json").read_text(encoding="utf-8"))
    [entry] = json.loads((folder / "package.json").read_text(encoding="utf-8"))["openclaw"]["extensions"]
    source = (folder / entry).read_text(encoding="utf-8")
    assert (manifest["id"], manifest["kind"], manifest["configSchema"]["type"]) == ("firmmem", "memory", "object")
    assert 'id: "firmmem"' in source
    assert 'kind: "memory"' in source
