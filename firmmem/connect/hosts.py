"""The programs that start FirmMem, and the configuration that each of them wants."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from firmmem.settings import Settings

HOSTS = ("hermes", "claude-desktop", "claude-code", "cursor", "vscode")
REPOSITORY = "git+https://github.com/jiayoupengpeng/firmmem-mcp"
HERMES_NAMESPACE = "hermes_default"


@dataclass(frozen=True)
class Start:
    """How the server is started."""

    command: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paste:
    """A text to paste, and where."""

    where: str
    text: str


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


def paste_for(host: str, start: Start, settings: Settings, namespace: str = "") -> list[Paste]:
    """Return what to paste for a host, in a namespace of one's choice or the host's usual one."""
    usual = HERMES_NAMESPACE if host == "hermes" else settings.namespace
    env = {"FIRMMEM_DB": str(settings.db), "DEFAULT_NAMESPACE": namespace or usual}
    match host:
        case "hermes":
            where = "Hermes: merge this into ~/.hermes/config.yaml, then /reload-mcp or start it again"
            return [Paste(where, hermes_yaml(start, env))]
        case "claude-desktop":
            where = (
                "Claude Desktop: Settings > Developer > Edit Config opens claude_desktop_config.json; start it again"
            )
            return [Paste(where, servers_json("mcpServers", start, env))]
        case "claude-code":
            return [
                Paste("Claude Code: run this in a shell", claude_mcp_add(start, env)),
                Paste(
                    "Claude Code, for one project: .mcp.json in its folder",
                    servers_json("mcpServers", start, env, type="stdio"),
                ),
            ]
        case "cursor":
            where = "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in a project"
            return [Paste(where, servers_json("mcpServers", start, env))]
        case _:
            where = "VS Code: .vscode/mcp.json, or what `MCP: Open User Configuration` opens"
            return [Paste(where, servers_json("servers", start, env, type="stdio"))]


def hermes_yaml(start: Start, env: dict[str, str]) -> str:
    """Return the block of Hermes's config.yaml."""
    # Hermes's own memory would compete; its tool is offered, and fails, unless its toolset is off too.
    # Hermes refuses booleans and numbers in env, so every value is quoted.
    variables = "\n".join(f"      {name}: {quote_yaml(value)}" for name, value in env.items())
    return f"""\
mcp_servers:
  firmmem:
    command: {yaml_scalar(start.command)}
    args: {json.dumps(start.args, ensure_ascii=False)}
    env:
{variables}
      ENABLE_SEMANTIC_RERANK: "false"
memory:
  memory_enabled: false
  user_profile_enabled: false
agent:
  disabled_toolsets: [memory]
mcp_discovery_timeout: 10"""


def servers_json(key: str, start: Start, env: dict[str, str], **more: str) -> str:
    """Return the JSON that most hosts read; `key` and what else a server entry needs differ."""
    entry = {**more, "command": start.command, "args": start.args, "env": env}
    return json.dumps({key: {"firmmem": entry}}, ensure_ascii=False, indent=2)


def claude_mcp_add(start: Start, env: dict[str, str]) -> str:
    """Return the command that adds FirmMem to Claude Code for all of a user's projects."""
    variables = [part for name, value in env.items() for part in ("--env", f"{name}={value}")]
    # --env takes as many values as follow it: an option has to stand between them and the name.
    words = ["claude", "mcp", "add", *variables, "--scope", "user", "firmmem", "--", start.command, *start.args]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def quote_yaml(text: str) -> str:
    """Return a YAML string in double quotes, whose escapes are those of JSON: backslashes are doubled."""
    return json.dumps(text, ensure_ascii=False)


def yaml_scalar(text: str) -> str:
    """Return a YAML string, in quotes where it needs them."""
    return text if re.fullmatch(r"[A-Za-z/][\w./-]*", text, re.ASCII) else quote_yaml(text)
