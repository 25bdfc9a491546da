"""Where hosts keep their configuration, on each platform."""

from pathlib import Path

import pytest

from firmmem.connect.hosts import ALL, HOSTS
from firmmem.connect.places import Machine, file_of, is_here, own_memory_file

HOME = Path("/home/li")
PLACES = {
    ("linux", "hermes"): ".hermes/config.yaml",
    ("linux", "claude-code"): ".claude.json",
    ("linux", "claude-desktop"): ".config/Claude/claude_desktop_config.json",
    ("linux", "cursor"): ".cursor/mcp.json",
    ("linux", "vscode"): ".config/Code/User/mcp.json",
    ("linux", "codex"): ".codex/config.toml",
    ("linux", "gemini-cli"): ".gemini/settings.json",
    ("linux", "opencode"): ".config/opencode/opencode.json",
    ("linux", "windsurf"): ".codeium/windsurf/mcp_config.json",
    ("linux", "zed"): ".config/zed/settings.json",
    ("darwin", "claude-desktop"): "Library/Application Support/Claude/claude_desktop_config.json",
    ("darwin", "vscode"): "Library/Application Support/Code/User/mcp.json",
    ("darwin", "zed"): ".config/zed/settings.json",
    ("win32", "hermes"): "AppData/Local/hermes/config.yaml",
    ("win32", "claude-desktop"): "AppData/Roaming/Claude/claude_desktop_config.json",
    ("win32", "vscode"): "AppData/Roaming/Code/User/mcp.json",
    ("win32", "zed"): "AppData/Roaming/Zed/settings.json",
}


@pytest.mark.parametrize(("platform", "host"), PLACES)
def test_each_file_is_where_its_host_reads_it(platform: str, host: str) -> None:
    assert file_of(host, Machine(platform, HOME, {})) == HOME / PLACES[platform, host]


def test_every_host_has_a_place() -> None:
    assert {host for platform, host in PLACES if platform == "linux"} == set(HOSTS)


@pytest.mark.parametrize(
    ("host", "variable", "file"),
    [
        ("hermes", "HERMES_HOME", "config.yaml"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
    ],
)
def test_a_variable_that_a_host_reads_moves_its_file(host: str, variable: str, file: str) -> None:
    assert file_of(host, Machine("linux", HOME, {variable: "/srv/agents"})) == Path("/srv/agents") / file


def test_opencode_s_file_with_comments_is_used_where_it_is_there(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").touch()
    assert file_of("opencode", Machine("linux", tmp_path, {})).name == "opencode.jsonc"


def test_a_host_is_here_by_its_folder_or_its_program(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {"PATH": str(tmp_path / "bin")})
    assert not any(is_here(host.key, host.program, machine) for host in ALL)
    (tmp_path / ".claude").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "zed").touch(mode=0o755)
    here = {host.key for host in ALL if is_here(host.key, host.program, machine)}
    assert here == {"claude-code", "zed"}


def test_where_a_host_says_whether_its_own_memory_is_on_is_known_for_some() -> None:
    machine = Machine("linux", HOME, {})
    assert own_memory_file("claude-code", machine) == HOME / ".claude" / "settings.json"
    assert own_memory_file("codex", machine) == file_of("codex", machine)
    assert own_memory_file("cursor", machine) is None
