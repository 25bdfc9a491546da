"""The texts to paste into a host, for those who would rather do that themselves."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from firmmem.connect.hosts import HERMES_NAMESPACE, Host, Start, entry, host_named
from firmmem.settings import Settings


@dataclass(frozen=True)
class Paste:
    """A text to paste, and where."""

    where: str
    text: str


def host_namespace(key: str, settings: Settings) -> str:
    """Return the namespace that a host is given unless another one is asked for."""
    return HERMES_NAMESPACE if key == "hermes" else settings.namespace


def paste_for(key: str, start: Start, settings: Settings, namespace: str = "") -> list[Paste]:
    """Return what to paste for a host, in a namespace of one's choice or the host's usual one."""
    host = host_named(key)
    usual = host_namespace(key, settings)
    env = {"FIRMMEM_DB": str(settings.db), "DEFAULT_NAMESPACE": namespace or usual}
    where = f"{host.name}: {host.then}; {host.restart}"
    match key:
        case "hermes":
            env["ENABLE_SEMANTIC_RERANK"] = str(settings.semantic_rerank).lower()
            where = f"Hermes: merge this into {host.then}, then /reload-mcp or start it again"
            return [Paste(where, hermes_yaml(start, env))]
        case "claude-code":
            return [
                Paste("Claude Code: run this in a shell", claude_mcp_add(start, env)),
                Paste(f"Claude Code, for one project: {host.then}", block(host, start, env)),
            ]
        case _:
            return [Paste(where, block(host, start, env))]


def block(host: Host, start: Start, env: Mapping[str, str]) -> str:
    """Return the part of a host's file that starts the server."""
    server = entry(host, start, env)
    if host.format == "toml":
        return codex_toml(server)
    for key in reversed((*host.servers, "firmmem")):
        server = {key: server}
    return json.dumps(server, ensure_ascii=False, indent=2)


def codex_toml(server: Mapping[str, object]) -> str:
    """Return the block of Codex's config.toml; TOML's strings are written as JSON's."""
    env = server["env"]
    variables = [f"{name} = {quote(value)}" for name, value in env.items()] if isinstance(env, dict) else []
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in server.items() if key != "env"]
    return "\n".join(["[mcp_servers.firmmem]", *lines, "", "[mcp_servers.firmmem.env]", *variables])


def hermes_yaml(start: Start, env: Mapping[str, str]) -> str:
    """Return the block of Hermes's config.yaml."""
    # Hermes's own memory would compete; its tool is offered, and fails, unless its toolset is off too.
    # Hermes refuses booleans and numbers in env, so every value is quoted.
    variables = "\n".join(f"      {name}: {quote(value)}" for name, value in env.items())
    return f"""\
mcp_servers:
  firmmem:
    command: {yaml_scalar(start.command)}
    args: {json.dumps(start.args, ensure_ascii=False)}
    env:
{variables}
memory:
  memory_enabled: false
  user_profile_enabled: false
agent:
  disabled_toolsets: [memory]
mcp_discovery_timeout: 10"""


def claude_mcp_add(start: Start, env: Mapping[str, str]) -> str:
    """Return the command that adds FirmMem to Claude Code for all of a user's projects."""
    variables = [part for name, value in env.items() for part in ("--env", f"{name}={value}")]
    # --env takes as many values as follow it: an option has to stand between them and the name.
    words = ["claude", "mcp", "add", *variables, "--scope", "user", "firmmem", "--", start.command, *start.args]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def quote(text: str) -> str:
    """Return a string in double quotes for YAML or TOML, whose escapes are those of JSON: backslashes are doubled."""
    return json.dumps(text, ensure_ascii=False)


def yaml_scalar(text: str) -> str:
    """Return a YAML string, in quotes where it needs them."""
    return text if re.fullmatch(r"[A-Za-z/][\w./-]*", text, re.ASCII) else quote(text)
