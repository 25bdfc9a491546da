"""The programs that start FirmMem: how each is named, and the change that its configuration needs."""

import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmmem.connect.changes import Change, Drop, Keys, Remove, Set, value_at

REPOSITORY = "git+https://github.com/jiayoupengpeng/firmmem-mcp"
HERMES_NAMESPACE = "hermes_default"
HERMES_SERVER = ("mcp_servers", "firmmem")


@dataclass(frozen=True)
class Start:
    """How the server is started."""

    command: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class Host:
    """A host: its name, its program, the format of its file, where the servers are in it, what makes it read them."""

    key: str
    name: str
    program: str
    format: str
    servers: Keys
    then: str
    restart: str = "start it again"


ALL = (
    Host("hermes", "Hermes", "hermes", "yaml", ("memory",), "~/.hermes/config.yaml"),
    Host(
        "claude-desktop",
        "Claude Desktop",
        "claude-desktop",
        "json",
        ("mcpServers",),
        "Settings > Developer > Edit Config opens claude_desktop_config.json",
    ),
    Host("claude-code", "Claude Code", "claude", "json", ("mcpServers",), ".mcp.json in a project's folder"),
    Host("cursor", "Cursor", "cursor", "json", ("mcpServers",), "~/.cursor/mcp.json, or .cursor/mcp.json in a project"),
    Host(
        "vscode",
        "VS Code",
        "code",
        "json",
        ("servers",),
        ".vscode/mcp.json, or what `MCP: Open User Configuration` opens",
    ),
    Host("codex", "Codex", "codex", "toml", ("mcp_servers",), "~/.codex/config.toml"),
    Host("gemini-cli", "Gemini CLI", "gemini", "json", ("mcpServers",), "~/.gemini/settings.json"),
    Host("opencode", "OpenCode", "opencode", "json", ("mcp",), "~/.config/opencode/opencode.json"),
    Host("windsurf", "Windsurf", "windsurf", "json", ("mcpServers",), "~/.codeium/windsurf/mcp_config.json"),
    Host("zed", "Zed", "zed", "json", ("context_servers",), "what `zed: open settings` opens", "nothing to do"),
)
HOSTS = tuple(host.key for host in ALL)
CLIENTS = {"claude-desktop": "claude-ai", "vscode": "visual studio code", "hermes": "mcp"}  # as they greet a server


def client_of(host: Host) -> str:
    """Return what the name begins with that a host gives itself as a client, in small letters."""
    return CLIENTS.get(host.key, host.key)


def installed_command() -> Start:
    """Return how this installation is started from any folder and with any environment."""
    if any(part.startswith(("archive-v", "environments-v")) for part in Path(sys.prefix).parts):
        return Start(shutil.which("uvx") or "uvx", ("--from", REPOSITORY, "firmmem-mcp"))  # uv may clear this folder
    name = "firmmem-mcp.exe" if sys.platform == "win32" else "firmmem-mcp"
    script = Path(sysconfig.get_path("scripts")) / name
    if script.is_file():
        return Start(str(script.absolute()))
    found = shutil.which("firmmem-mcp")
    return Start(str(Path(found).absolute())) if found else Start(sys.executable, ("-m", "firmmem"))


def command_line(start: Start, *words: str) -> Start:
    """Return how `firmmem WORDS` of the same installation is started."""
    if start.args[-1:] == ("firmmem-mcp",):
        return Start(start.command, (*start.args[:-1], "firmmem", *words))
    program = Path(start.command)
    if program.stem == "firmmem-mcp":
        return Start(str(program.with_name(f"firmmem{program.suffix}")), (*start.args, *words))
    return Start(start.command, (*start.args, *words))


def host_named(key: str) -> Host:
    """Return the host of a name."""
    return next(host for host in ALL if host.key == key)


def entry(host: Host, start: Start, env: Mapping[str, str]) -> dict[str, Any]:
    """Return what a host is to read of a server."""
    usual = {"command": start.command, "args": [*start.args], "env": dict(env)}
    match host.key:
        case "hermes":
            provider = command_line(start, "provider")
            return {"command": provider.command, "args": [*provider.args], "env": dict(env)}
        case "opencode":
            return {"type": "local", "command": [start.command, *start.args], "environment": dict(env)}
        case "claude-code":
            return {"type": "stdio", **usual, "alwaysLoad": True}  # else its tools are hidden behind a search
        case "vscode":
            return {"type": "stdio", **usual}
        case _:
            return usual


def place_of_entry(host: Host, there: Any) -> Keys:
    """Return the path of the entry: OpenCode 2 has it a level deeper than 1, and Hermes may still have a server."""
    if host.key == "hermes" and value_at(there, ("memory", "firmmem")) is None and value_at(there, HERMES_SERVER):
        return HERMES_SERVER
    if host.key == "opencode" and isinstance(value_at(there, ("mcp", "servers")), dict):
        return ("mcp", "servers", "firmmem")
    return (*host.servers, "firmmem")


def changes_for(host: Host, there: Any, start: Start, env: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what is to change in a host's configuration; what a person has added to the entry stays in it."""
    path = place_of_entry(host, there)
    old, new = value_at(there, path), entry(host, start, env)
    if isinstance(old, dict):
        variables = "environment" if host.key == "opencode" else "env"
        more = old.get(variables)
        new = {**old, **new, variables: {**(more if isinstance(more, dict) else {}), **new[variables]}}
    if host.key == "hermes":
        return changes_for_hermes(there, {name: new[name] for name in ("command", "args", "env")})
    return (Set(path, new),)


def changes_for_hermes(there: Any, provider: dict[str, Any]) -> tuple[Change, ...]:
    """Return what makes FirmMem Hermes' memory, by its plugin: what was there as an MCP server goes.

    The toolset `memory` has to be on, or Hermes leaves out the tools of its memory plugin. With it Hermes' own memory
    is on too; the plugin hears of each of its notes.
    """
    changes: tuple[Change, ...] = (Set(("memory", "provider"), "firmmem"), Set(("memory", "firmmem"), provider))
    changes += (Drop(("agent", "disabled_toolsets"), "memory", prune=2),)
    if value_at(there, HERMES_SERVER) is not None:  # it was connected as a server, for which its own memory was off
        changes += (
            Remove(("memory", "memory_enabled")),
            Remove(("memory", "user_profile_enabled")),
            Remove(HERMES_SERVER, prune=1),
        )
    return changes


def env_of_entry(host: Host, there: Any) -> dict[str, str]:
    """Return the environment that a configuration gives the server; nothing where it has no entry."""
    old = value_at(there, place_of_entry(host, there))
    variables = old.get("environment" if host.key == "opencode" else "env") if isinstance(old, dict) else None
    return {str(key): str(value) for key, value in variables.items()} if isinstance(variables, dict) else {}


def competes(host: Host, there: Any) -> bool | None:
    """Return whether the host's own memory is on, by the file that says so; None where no file is known to."""
    match host.key:
        case "hermes":
            if value_at(there, ("memory", "provider")) == "firmmem":
                return False  # each of its notes comes here too
            off = value_at(there, ("memory", "memory_enabled")) is False
            return not (off and value_at(there, ("memory", "user_profile_enabled")) is False)
        case "claude-code":
            return value_at(there, ("autoMemoryEnabled",)) is not False
        case "codex":
            return value_at(there, ("features", "memories")) is True
        case _:
            return None
