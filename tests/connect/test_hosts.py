"""Configurations as their hosts read them, and the documents that show them."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from support.checkout import CHECKOUT

from firmmem.connect.changes import value_at
from firmmem.connect.formats import values
from firmmem.connect.hosts import HOSTS, Start, host_named, installed_command, place_of_entry
from firmmem.connect.pastes import hermes_yaml, paste_for
from firmmem.settings import Settings

READMES = ("README.md", "README.zh-CN.md")
PAGES = ("docs/clients.md", "docs/zh/clients.md")
WINDOWS = Start("C:\\Program Files\\FirmMem\\firmmem-mcp.exe")
PATHS = ("/home/li wei/记忆.db", 'C:\\new\\"old"\\memory.db', "/a'b/$HOME/%d.db")


def parsed(host: str, start: Start, db: str) -> dict[str, object]:
    """Return a host's server entry as the host reads it."""
    settings = Settings.model_construct(db=db, namespace="default", semantic_rerank=False)
    *_, paste = paste_for(host, start, settings)
    there = values(host_named(host).format, paste.text)
    entry: dict[str, object] = value_at(there, place_of_entry(host_named(host), there))
    if host == "opencode":
        command, *args = entry["command"]  # type: ignore[misc]  # a list in OpenCode's file
        entry = {"command": command, "args": args, "env": entry["environment"]}
    return entry


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("db", PATHS)
def test_every_host_reads_the_path_and_the_command_as_they_are(host: str, db: str) -> None:
    entry = parsed(host, WINDOWS, db)
    assert entry["command"] == WINDOWS.command
    assert entry["args"] == []
    assert isinstance(entry["env"], dict)
    assert entry["env"]["FIRMMEM_DB"] == db


@pytest.mark.parametrize("host", HOSTS)
def test_every_value_of_env_is_a_string(host: str) -> None:
    env = parsed(host, Start("/bin/firmmem-mcp", ("-m", "firmmem")), "/x.db")["env"]
    assert isinstance(env, dict)
    assert all(isinstance(value, str) for value in env.values())
    assert env["DEFAULT_NAMESPACE"] == ("hermes_default" if host == "hermes" else "default")


def test_hosts_that_want_the_transport_named_get_it() -> None:
    assert parsed("vscode", WINDOWS, "/x.db")["type"] == "stdio"
    assert parsed("claude-code", WINDOWS, "/x.db")["type"] == "stdio"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell's quoting")
@pytest.mark.parametrize("db", PATHS)
def test_the_claude_code_command_is_one_shell_line_with_its_options_before_the_name(db: str) -> None:
    settings = Settings.model_construct(db=db, namespace="my notes")
    words = shlex.split(paste_for("claude-code", Start("/opt/fm/firmmem-mcp"), settings)[0].text)
    assert words[:3] == ["claude", "mcp", "add"]
    assert words[-3:] == ["firmmem", "--", "/opt/fm/firmmem-mcp"]
    assert f"FIRMMEM_DB={db}" in words
    assert "DEFAULT_NAMESPACE=my notes" in words
    # --env swallows what follows it up to the next option.
    assert words[words.index("firmmem") - 2] == "--scope"


def test_the_installed_server_is_named_by_its_absolute_path() -> None:
    start = installed_command()
    assert Path(start.command).is_absolute()
    assert Path(start.command).is_file()


def test_an_environment_that_uv_may_clear_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/home/x/.cache/uv/archive-v0/AbC")
    start = installed_command()
    assert Path(start.command).name == "uvx"
    assert start.args[0] == "--from"


@pytest.mark.parametrize("document", READMES + PAGES)
def test_the_documents_show_the_hermes_block_that_config_prints(document: str) -> None:
    text = (CHECKOUT / document).read_text(encoding="utf-8")
    [block] = re.findall(r"```yaml\n(.*?)\n```", text, re.DOTALL)
    env = {"FIRMMEM_DB": "~/firmmem/memory.db", "DEFAULT_NAMESPACE": "hermes_default"}
    env |= {"ENABLE_SEMANTIC_RERANK": "false"}
    assert block == hermes_yaml(Start("firmmem-mcp"), env)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_of_clients_shows_the_blocks_that_config_prints(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    settings = Settings.model_construct(db="/absolute/path/to/memory.db", namespace="default")
    start = Start("/absolute/path/to/firmmem-mcp")
    for host in ("claude-desktop", "claude-code", "vscode"):
        assert paste_for(host, start, settings)[0].text in text
