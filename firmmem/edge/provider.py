"""The process behind a host's own memory plugin: JSON lines in, JSON lines out, with the tools of the MCP server.

A plugin runs in its host's Python, where nothing of FirmMem may be imported, and asks this process by JSON-RPC 2.0:
`tool` (name, arguments, session) calls a tool, `event` (kind, session, prompt, writes) says what happens in a session
and is answered with what to put before the agent.
"""

import json
import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from firmmem.edge.answering import answer_call
from firmmem.edge.caller import Call
from firmmem.edge.running import App, run_app
from firmmem.environment import read_settings
from firmmem.errors import FirmMemError, InvalidArgumentError, SettingsError
from firmmem.hook.events import NAME_CAP, PROMPT_CAP, Event, Kind
from firmmem.hook.handle import handle_event
from firmmem.settings import Settings
from firmmem.stdio import serve
from firmmem.stdio.client_wire import Streams
from firmmem.store.opening import open_connection

METHOD_NOT_FOUND = -32601  # JSON-RPC 2.0
FAILED = -32000
HOST = "hermes"

log = logging.getLogger(__name__)


def main(streams: Streams) -> None:
    """Answer a plugin until it hangs up."""
    settings: Settings | SettingsError
    try:
        settings = read_settings()
        level = settings.log_level
    except SettingsError as error:
        settings, level = error, "WARNING"
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

    async def run(wire: anyio.AsyncFile[str]) -> None:
        async with run_app(settings, time.time) as app, anyio.create_task_group() as answers:
            sessions = Sessions()
            async for line in wire:
                answers.start_soon(answer_line, app, sessions, wire, line)

    serve.serve(run, streams)


class Sessions:
    """Which sessions were given what they start with; a host's agents come and go between two messages."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._lost: set[str] = set()

    def begin(self, session: str) -> str:
        """Return the source of a session's start that is due with its next prompt, '' where none is."""
        if session in self._lost:
            self._lost.discard(session)
            return "clear"
        if session in self._begun:
            return ""
        self._begun.add(session)
        return "startup"

    def lose(self, session: str) -> None:
        """Note that what a session was given is no longer before its agent."""
        self._lost.add(session)

    def end(self, session: str) -> None:
        """Forget a session."""
        self._begun.discard(session)
        self._lost.discard(session)


async def answer_line(app: App, sessions: Sessions, wire: anyio.AsyncFile[str], line: str) -> None:
    """Answer one request; what fails is an error that says why."""
    asked = json.loads(line)
    if "method" not in asked or "id" not in asked:
        return
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
    params = asked.get("params") or {}
    try:
        match asked["method"]:
            case "tool":
                reply["result"] = await answer_tool(app, params)
            case "event":
                reply["result"] = {"text": await answer_event(app, sessions, params)}
            case "ping":
                reply["result"] = {}
            case method:
                reply["error"] = {"code": METHOD_NOT_FOUND, "message": f"there is no method {method!r}"}
    except FirmMemError as error:
        log.warning("%s: %s", asked["method"], error)
        reply["error"] = {"code": FAILED, "message": str(error)}
    await wire.write(json.dumps(reply, ensure_ascii=False, separators=(",", ":")) + "\n")


async def answer_tool(app: App, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a tool answers."""
    call = Call(app, HOST, session_of(params))
    answer = await answer_call(call, str(params.get("name")), params.get("arguments"))
    return {"text": answer.text, "error": answer.is_error}


def session_of(params: Mapping[str, Any]) -> str:
    """Return what the host calls its session."""
    return str(params.get("session") or "")[:NAME_CAP]


async def answer_event(app: App, sessions: Sessions, params: Mapping[str, Any]) -> str:
    """Return what is put before the agent at an event of a session: its start comes with its first prompt."""
    session, kind = session_of(params), params.get("kind")
    await app.database()
    handled = partial(handle, app, params, session)
    match kind:
        case "prompt":
            start = sessions.begin(session)
            begun = await handled("start", source=start) if start else ""
            bearing = await handled("prompt", prompt=str(params.get("prompt") or "")[:PROMPT_CAP])
            return "\n".join(text for text in (begun, bearing) if text)
        case "lost":
            sessions.lose(session)
            return ""
        case "end":
            sessions.end(session)
            return await handled("end")
    raise InvalidArgumentError(f"there is no event {kind!r}")


async def handle(
    app: App, params: Mapping[str, Any], session: str, kind: Kind, *, source: str = "", prompt: str = ""
) -> str:
    """Do what an event asks for, on a connection of its own."""
    event = Event(kind, "", HOST, session, source, prompt)
    database = await app.database()
    settings = database.settings
    if params.get("writes") is not True:
        settings = settings.model_copy(update={"hook_capture": "off"})

    def answer() -> str:
        connection = open_connection(settings)
        try:
            return handle_event(connection, event, settings, now=app.clock())
        finally:
            connection.close()

    return (await anyio.to_thread.run_sync(answer, abandon_on_cancel=True)).strip()
