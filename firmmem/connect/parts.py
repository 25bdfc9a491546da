"""What a host is given besides its entry for the server: hooks, and the files of a plugin.

Each part is a file of its own with a plan and a record of its own, under the host's key and the part's name. Gemini CLI
has its hooks in the same file as its servers.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from firmmem.connect import hosts
from firmmem.connect.changes import Change, Remove, Set, depth, value_at
from firmmem.connect.hooks import hook_changes, hook_removals, hook_start
from firmmem.connect.hosts import HERMES_SERVER, Host, Start, host_named, place_of_entry
from firmmem.connect.places import Machine, file_of

HERMES_FILES = ("plugin.yaml", "tools.json", "child.py", "__init__.py")
TRUST = "type /hooks in Codex and trust FirmMem's: what is not trusted is skipped without a word"


def parts_of(host: Host) -> list[Host]:
    """Return a host's parts, in the order in which they are written: the entry, which needs them, comes last."""
    match host.key:
        case "hermes":
            return [part(host, name, "text") for name in HERMES_FILES] + [host]
        case "opencode":
            return [part(host, "firmmem.js", "text"), host]
        case "claude-code" | "cursor":
            return [part(host, "hooks", "json"), host]
        case "codex":
            return [part(host, "hooks", "json", TRUST), host]
        case _:
            return [host]


def part(host: Host, name: str, format_: str, restart: str = "") -> Host:
    """Return a part of a host."""
    return Host(f"{host.key}:{name}", host.name, host.program, format_, (), "", restart)


def file_of_part(host: Host, machine: Machine) -> Path:
    """Return the file of a host or of a part."""
    key, _, name = host.key.partition(":")
    if not name:
        return file_of(key, machine)
    match key:
        case "hermes":
            return file_of("hermes", machine).parent / "plugins" / "firmmem" / name
        case "opencode":
            return file_of("opencode", machine).parent / "plugin" / name
        case "claude-code":
            return machine.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
        case _:
            return file_of(key, machine).with_name("hooks.json")


def changes_for(host: Host, there: Any, start: Start, env: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what connects a host or a part of it."""
    key, _, name = host.key.partition(":")
    if host.format == "text":
        return (Set(("text",), text_of(key, name, start, env)),)
    if name:
        return hook_changes(key, there, start, env)
    hooks = hook_changes(key, there, start, env) if key == "gemini-cli" else ()
    return hosts.changes_for(host, there, start, env) + hooks


def removals(host: Host, there: Any) -> tuple[Change, ...]:
    """Return what takes a host's entry, or a part, out of a configuration as it is now."""
    key, _, name = host.key.partition(":")
    if host.format == "text":
        return (Set(("text",), ""),)
    if name:
        return hook_removals(key, there)
    path = place_of_entry(host, there)
    found: tuple[Change, ...] = (Remove(path, prune=1),) if depth(there, path) == len(path) else ()
    if key == "hermes" and path != HERMES_SERVER and value_at(there, ("memory", "provider")) == "firmmem":
        found = (Remove(("memory", "provider")), *found)
    return found + (hook_removals(key, there) if key == "gemini-cli" else ())


def text_of(key: str, name: str, start: Start, env: Mapping[str, str]) -> str:
    """Return the text of a plugin's file for this installation."""
    text = (plugin_folder(key) / name).read_text(encoding="utf-8")
    hook = hook_start(key, start, env)
    return text.replace(
        '["firmmem", "hook", "--host", "opencode"]', json.dumps([hook.command, *hook.args], ensure_ascii=False)
    )


def plugin_folder(key: str) -> Path:
    """Return the folder of a host's plugin, in the package or, in a checkout, next to it."""
    package = Path(str(files("firmmem")))
    inside = package / "plugins" / key
    return inside if inside.is_dir() else package.parent / "plugins" / key


def missing_parts(key: str, machine: Machine) -> list[Path]:
    """Return the files of a host's plugin that are not there."""
    parts = [each for each in parts_of(host_named(key)) if each.format == "text"]
    return [file for file in (file_of_part(each, machine) for each in parts) if not file.is_file()]
