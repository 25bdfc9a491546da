"""`firmmem config`, and what the command line is as a whole."""

import json
import sys
from pathlib import Path

import pytest
import yaml
from support.firmmem_command import Firmmem

from firmmem import __version__
from firmmem.connect.hosts import HOSTS


def test_one_host_is_printed_alone_so_that_it_can_go_into_a_file(firmmem: Firmmem) -> None:
    for host, key in (("claude-desktop", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")):
        ran = firmmem("config", host)
        server = json.loads(ran.out)[key]["firmmem"]
        assert Path(server["command"]).is_absolute()
        assert server["env"] == {"FIRMMEM_DB": str(firmmem.db), "DEFAULT_NAMESPACE": "default"}
        assert ran.err


def test_the_hermes_block_is_yaml_of_strings(firmmem: Firmmem) -> None:
    block = yaml.safe_load(firmmem("config", "hermes").out)
    assert block["mcp_servers"]["firmmem"]["env"] == {
        "FIRMMEM_DB": str(firmmem.db),
        "DEFAULT_NAMESPACE": "hermes_default",
        "ENABLE_SEMANTIC_RERANK": "false",
    }
    assert block["memory"] == {"memory_enabled": False, "user_profile_enabled": False}
    assert block["agent"] == {"disabled_toolsets": ["memory"]}


def test_the_hermes_block_says_what_is_set_now(firmmem: Firmmem) -> None:
    block = yaml.safe_load(firmmem.does("config", "hermes", ENABLE_SEMANTIC_RERANK="yes"))
    assert block["mcp_servers"]["firmmem"]["env"]["ENABLE_SEMANTIC_RERANK"] == "true"


@pytest.mark.skipif(sys.platform == "win32", reason="a program is named otherwise there")
def test_the_printed_command_is_a_program(firmmem: Firmmem) -> None:
    server = json.loads(firmmem.does("config", "cursor"))["mcpServers"]["firmmem"]
    assert Path(server["command"]).is_file()


def test_all_hosts_are_printed_with_where_they_go(firmmem: Firmmem) -> None:
    said = firmmem.does("config")
    for name in ("Hermes", "Claude Desktop", "Claude Code", "Cursor", "VS Code"):
        assert f"── {name}" in said
    assert "hermes_default" not in firmmem.does("config", "--namespace", "work")


def test_an_unknown_host_is_told_which_there_are(firmmem: Firmmem) -> None:
    ran = firmmem("config", "emacs")
    assert ran.code == 2
    assert all(host in ran.err for host in HOSTS)


def test_the_version_is_printed(firmmem: Firmmem) -> None:
    assert firmmem.does("--version").strip() == f"firmmem {__version__}"


@pytest.mark.parametrize("command", ["init", "recall", "config", "demo", "core", "serve"])
def test_every_command_explains_itself(firmmem: Firmmem, command: str) -> None:
    assert command in firmmem.does("--help")
    assert "Usage:" in firmmem.does(command, "--help")


def test_an_unknown_command_is_one_short_message(firmmem: Firmmem) -> None:
    ran = firmmem("frobnicate")
    assert ran.code == 2
    assert "No such command" in ran.err


def test_serve_answers_the_handshake_and_ends_with_its_input(firmmem: Firmmem) -> None:
    ran = firmmem("serve")
    assert (ran.code, ran.out) == (0, "")
