"""`firmmem connect`, `disconnect` and `status`, as a person runs them."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml
from support.firmmem_command import Firmmem


@pytest.fixture
def machine(tmp_path: Path) -> Firmmem:
    """Return the command line on a machine with Hermes, Cursor and Codex."""
    for folder in (".hermes", ".cursor", ".codex"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".hermes" / "config.yaml").write_text("# mine\nmodel: x\n", encoding="utf-8")
    env = {"XDG_CONFIG_HOME": str(tmp_path / ".config"), "PATH": "/nowhere", "USERPROFILE": str(tmp_path)}
    unset = {"HERMES_HOME": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "", "FIRMMEM_ENV_FILE": ""}
    return Firmmem(tmp_path, env | unset)


def files(machine: Firmmem) -> dict[str, bytes]:
    return {
        str(file.relative_to(machine.folder)): file.read_bytes()
        for file in machine.folder.rglob("*")
        if file.is_file() and not file.name.startswith(("memory.db", "connected.json"))
    }


def test_one_command_connects_three_hosts_to_one_file_and_namespace_and_one_takes_it_back(machine: Firmmem) -> None:
    before = files(machine)
    said = machine.does("connect", "--yes")
    assert "+    command:" in said
    assert "A new file of FirmMem's plugin" in said
    envs = [
        yaml.safe_load((machine.folder / ".hermes" / "config.yaml").read_bytes())["memory"]["firmmem"]["env"],
        json.loads((machine.folder / ".cursor" / "mcp.json").read_bytes())["mcpServers"]["firmmem"]["env"],
        tomllib.loads((machine.folder / ".codex" / "config.toml").read_text("utf-8"))["mcp_servers"]["firmmem"]["env"],
    ]
    assert envs == [{"FIRMMEM_DB": str(machine.db), "DEFAULT_NAMESPACE": "default"}] * 3
    once = files(machine)
    assert machine.does("connect", "--yes").count("is connected already") == 3
    assert files(machine) == once
    assert "are as they were before" in machine.does("disconnect", "--yes")
    assert files(machine) == before


def test_nothing_is_changed_without_consent(machine: Firmmem) -> None:
    before = files(machine)
    assert "+model" not in machine.does("connect", "--dry-run")
    ran = machine("connect")
    assert ran.code == 2
    assert "--yes" in ran.err
    machine.does("connect", "--yes", "hermes")
    after = files(machine)
    machine.does("disconnect", "--dry-run")
    assert machine("disconnect").code == 2
    assert files(machine) == after
    assert before != after


def test_a_file_that_is_not_understood_is_left_alone_and_the_block_is_printed(machine: Firmmem) -> None:
    (machine.folder / ".cursor" / "mcp.json").write_text("{ not json", encoding="utf-8")
    ran = machine("connect", "--yes", "cursor", "codex")
    assert ran.code == 1
    assert "is left alone" in ran.err
    assert '"FIRMMEM_DB"' in ran.out
    assert (machine.folder / ".cursor" / "mcp.json").read_text(encoding="utf-8") == "{ not json"
    assert (machine.folder / ".codex" / "config.toml").is_file()
    ran = machine("disconnect", "--yes", "cursor")
    assert (ran.code, "by hand" in ran.err) == (1, True)


def test_status_says_what_is_connected_and_when_it_last_wrote(machine: Firmmem) -> None:
    machine.does("connect", "--yes", "cursor", "--namespace", "work")
    machine.does("core", "add", "The user lives in Rome.")
    said = machine.does("status")
    assert "Cursor: connected, namespace 'work'" in said
    assert "Hermes: not connected" in said
    assert "its own memory is on" in said
    assert "none yet" in said
    values = {host["host"]: host for host in json.loads(machine.does("status", "--json"))}
    assert values["cursor"]["database"] == str(machine.db)
    assert values["codex"]["connected"] is False


def test_a_host_that_is_not_here_is_connected_when_it_is_named(machine: Firmmem) -> None:
    machine.does("connect", "--yes", "zed")
    assert "firmmem" in (machine.folder / ".config" / "zed" / "settings.json").read_text(encoding="utf-8")
    assert "is not connected" in machine.does("disconnect", "--yes", "windsurf")
    ran = machine("connect", "emacs")
    assert (ran.code, "hermes" in ran.err) == (2, True)


def test_a_machine_without_agents_is_told_which_there_are(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path / ".config"), "PATH": "/nowhere", "HERMES_HOME": "", "CODEX_HOME": ""}
    ran = Firmmem(tmp_path, env)("connect")
    assert ran.code == 1
    assert "no agent was found" in ran.err


def test_the_file_of_settings_that_is_named_goes_along(machine: Firmmem) -> None:
    named = machine.folder / "my.env"
    named.touch()
    machine.does("connect", "--yes", "cursor", FIRMMEM_ENV_FILE=str(named))
    env = json.loads((machine.folder / ".cursor" / "mcp.json").read_bytes())["mcpServers"]["firmmem"]["env"]
    assert env["FIRMMEM_ENV_FILE"] == str(named)
