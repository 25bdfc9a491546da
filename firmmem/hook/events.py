"""An event of a host, as its hook is called with it: JSON on stdin, or words on the command line."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["start", "prompt", "compact", "stop", "end"]

KINDS: dict[str, Kind] = {  # by what Claude Code, Codex and Gemini CLI call them, and what the command line does
    "SessionStart": "start",
    "session-start": "start",
    "UserPromptSubmit": "prompt",
    "BeforeAgent": "prompt",
    "prompt": "prompt",
    "PreCompact": "compact",
    "PreCompress": "compact",
    "compact": "compact",
    "Stop": "stop",
    "AfterAgent": "stop",
    "stop": "stop",
    "SessionEnd": "end",
    "session-end": "end",
    "sessionStart": "start",  # Cursor
}
OPTIONS = {"--db": "FIRMMEM_DB", "--namespace": "DEFAULT_NAMESPACE", "--env-file": "FIRMMEM_ENV_FILE"}
CLIENTS = {  # what a host's MCP client calls itself, so that its server and its hooks are one session
    "claude-code": "claude-code",
    "codex": "codex-mcp-client",
    "gemini-cli": "gemini-cli-mcp-client",
}
PROMPT_CAP = 20_000  # characters of a prompt that are read
INPUT_CAP = 4_000_000  # bytes of an event that are read: a prompt may hold a pasted file
NAME_CAP = 200


@dataclass(frozen=True)
class Event:
    """What happened; `name` is what the host calls it, '' where it takes plain text."""

    kind: Kind
    name: str
    host: str
    session: str = ""
    source: str = ""  # of a session's start: startup, resume, clear, compact
    prompt: str = ""
    repeated: bool = False  # a stop that a hook has caused already

    @property
    def client(self) -> str:
        """The name that the host's MCP client has."""
        return CLIENTS.get(self.host, self.host)


def read_event(arguments: list[str]) -> Event | None:
    """Return the event that a hook is called for, or None where it is none of those that are known."""
    host, words = take_options(arguments)
    if words:
        kind = KINDS.get(words[0])
        if kind is None:
            return None
        return Event(kind, "", host or "shell", os.environ.get("FIRMMEM_SESSION", ""), prompt=" ".join(words[1:]))
    said = read_input()
    kind = KINDS.get(text_of(said, "hook_event_name"))
    if kind is None:
        return None
    return Event(
        kind,
        text_of(said, "hook_event_name"),
        host or guess_host(said),
        (text_of(said, "session_id") or text_of(said, "conversation_id"))[:NAME_CAP],
        text_of(said, "source"),
        text_of(said, "prompt")[:PROMPT_CAP],
        said.get("stop_hook_active") is True,
    )


def take_options(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the host that `--host` names, and the words after the options, which go before the environment."""
    host = ""
    while len(arguments) >= 2 and (arguments[0] == "--host" or arguments[0] in OPTIONS):
        option, value, *arguments = arguments
        if option == "--host":
            host = value
        else:
            os.environ[OPTIONS[option]] = value
    return host, arguments


def read_input() -> dict[str, Any]:
    """Return the JSON object on stdin; nothing where there is none, or it is no object."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        said = json.loads(sys.stdin.buffer.read(INPUT_CAP))
    except (ValueError, RecursionError, OSError):
        return {}
    return said if isinstance(said, dict) else {}


def text_of(said: dict[str, Any], name: str) -> str:
    """Return a text of an event without what no file can hold, '' where it is no text."""
    value = said.get(name)
    return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "") if isinstance(value, str) else ""


def guess_host(said: dict[str, Any]) -> str:
    """Return the host whose event this looks like."""
    if said.get("hook_event_name") in ("BeforeAgent", "AfterAgent", "PreCompress") or "GEMINI_SESSION_ID" in os.environ:
        return "gemini-cli"
    return "codex" if any(name.startswith("CODEX_") for name in os.environ) else "claude-code"
