"""FirmMem's hooks in a host's own configuration: which events, and how each host writes them."""

import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from firmmem.connect.changes import Add, Change, Drop, Keys, Remove, Set, depth, value_at
from firmmem.connect.hosts import Start, command_line

SECONDS = 5  # a hook ends itself after one; a host waits this long for a machine that is very busy
EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"),
    "gemini-cli": ("SessionStart", "BeforeAgent", "SessionEnd"),
    "cursor": ("sessionStart",),
}
VARIABLES = {"FIRMMEM_DB": "--db", "DEFAULT_NAMESPACE": "--namespace", "FIRMMEM_ENV_FILE": "--env-file"}


def hook_start(key: str, start: Start, env: Mapping[str, str]) -> Start:
    """Return how a host's hook is started: it has the environment of the host, so that its words say which memory."""
    words = [word for name, option in VARIABLES.items() if env.get(name) for word in (option, env[name])]
    return command_line(start, "hook", "--host", key, *words)


def hook_command(key: str, start: Start, env: Mapping[str, str]) -> str:
    """Return a host's hook as one line of a shell."""
    hook = hook_start(key, start, env)
    words = [hook.command, *hook.args]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def hook_changes(key: str, there: Any, start: Start, env: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what puts the hooks into a configuration, in place of those of another installation."""
    command = hook_command(key, start, env)
    changes: list[Change] = []
    if key == "cursor" and not depth(there, ("version",)):
        changes.append(Set(("version",), 1))
    for event in EVENTS[key]:
        item = hook_item(key, event, command)
        changes += [Drop(path, old) for path, old in own_items(key, there, event) if old != item]
        changes.append(Add(("hooks", event), item))
    return tuple(changes)


def hook_item(key: str, event: str, command: str) -> dict[str, Any]:
    """Return a hook as a host writes it."""
    if key == "cursor":
        return {"command": command}
    milliseconds = 1000 if key == "gemini-cli" else 1
    seconds = 3 if (key, event) == ("codex", "SessionEnd") else SECONDS  # Codex warns of more
    hook = {"type": "command", "command": command, "timeout": seconds * milliseconds}
    if key == "gemini-cli":
        hook = {"name": "firmmem", **hook}
    matcher = {"matcher": "startup|resume|clear|compact"} if event == "SessionStart" and key != "gemini-cli" else {}
    return {**matcher, "hooks": [hook]}


def own_items(key: str, there: Any, event: str) -> Iterator[tuple[Keys, Any]]:
    """Yield FirmMem's hooks for an event, whichever installation they start."""
    path = ("hooks", event)
    items = value_at(there, path)
    for item in items if isinstance(items, list) else ():
        inner = item.get("hooks") if isinstance(item, dict) and key != "cursor" else [item]
        hooks = inner if isinstance(inner, list) else []
        commands = [str(hook.get("command", "")) for hook in hooks if isinstance(hook, dict)]
        if commands and all(f" hook --host {key}" in command for command in commands):
            yield path, item


def hook_removals(key: str, there: Any) -> tuple[Change, ...]:
    """Return what takes all of FirmMem's hooks out of a configuration."""
    drops = [Drop(path, item, prune=2) for event in EVENTS[key] for path, item in own_items(key, there, event)]
    alone = key == "cursor" and isinstance(there, dict) and set(there) <= {"version", "hooks"} and drops
    return (*drops, *([Remove(("version",))] if alone else []))
