"""What each event of a host does with the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmmem.contract import Author
from firmmem.hook import give
from firmmem.hook.answers import format_answer, format_block
from firmmem.memory.life import injections
from firmmem.memory.rows.sessions import end_sessions, enter_session
from firmmem.store.statements import Connection, transaction

if TYPE_CHECKING:
    from firmmem.hook.events import Event
    from firmmem.settings import Settings

LOST = ("clear", "compact")  # sources of a start at which what was given before is no longer in the agent's context
WRITE_WHAT_LASTS = (
    "FirmMem: the conversation was compacted. If something from it should outlast this session and is not stored yet, "
    "write it now, one short statement each, with the firmmem tools."
)
BEFORE_STOPPING = (
    "FirmMem: nothing was stored in this session for a while. If something should outlast it, write it with the "
    "firmmem tools, one short statement each; if not, just stop."
)


@dataclass(frozen=True)
class Caller:
    """Who an event comes from, and the namespace that it is about."""

    author: Author
    namespace: str


def handle_event(connection: Connection, event: Event, settings: Settings, *, now: float) -> str:
    """Do what an event asks for, and return what the hook writes to stdout."""
    caller = Caller(Author(event.client, "", event.session), settings.namespace)
    match event.kind:
        case "start":
            return start_session(connection, event, caller, settings, now=now)
        case "prompt":
            return answer_prompt(connection, event, caller, settings, now=now)
        case "stop":
            return remind_before_stop(connection, event, caller, settings, now=now)
        case "end":
            with transaction(connection):
                end_sessions(connection, caller.author, now=now)
    return ""  # before a compaction no host takes context: what it needs comes with the start after it


def start_session(connection: Connection, event: Event, caller: Caller, settings: Settings, *, now: float) -> str:
    """Give what a session starts with; after a compaction again, and with the request to write what should last."""
    lost = event.source in LOST
    known = frozenset() if lost else injections.given_memories(connection, caller.namespace, caller.author)
    chosen = give.choose_for_start(connection, caller.namespace, caller.author, known, settings, now=now)
    closing = ""
    if event.source == "compact" and settings.hook_remind in ("compaction", "both"):
        closing = WRITE_WHAT_LASTS if wrote_nothing_lately(connection, caller, settings) else ""
    return give_chosen(
        connection, event, caller, chosen, settings, closing=closing, lost=lost, asked=bool(closing), now=now
    )


def answer_prompt(connection: Connection, event: Event, caller: Caller, settings: Settings, *, now: float) -> str:
    """Give what bears on a prompt and was not given in this session yet, and keep what the user asks to remember."""
    known = injections.given_memories(connection, caller.namespace, caller.author)
    kept = ""
    if settings.hook_capture == "on":
        from firmmem.hook import capture

        kept = capture.keep_what_is_asked(connection, event.prompt, known, caller, settings, now=now)
    chosen = give.choose_for_prompt(connection, caller.namespace, caller.author, event.prompt, known, settings, now=now)
    return give_chosen(connection, event, caller, chosen, settings, closing=kept, now=now)


def give_chosen(
    connection: Connection,
    event: Event,
    caller: Caller,
    chosen: give.Chosen,
    settings: Settings,
    *,
    closing: str = "",
    lost: bool = False,
    asked: bool = False,
    now: float,
) -> str:
    """Record what is put before the agent, then return it: what can't be recorded is not given."""
    text = chosen.text(closing)
    with transaction(connection):
        session = enter_session(connection, caller.namespace, caller.author, settings, now=now)
        injections.record_injection(
            connection,
            session.id,
            injections.Injection(
                event.host,
                event.kind,
                event.source,
                chosen.budget,
                chosen.gate,
                chosen.strength,
                chosen.choices,
                lost=lost,
                asked=asked,
            ),
            now=now,
        )
    return format_answer(event, text, chosen.message() if text else "")


def remind_before_stop(connection: Connection, event: Event, caller: Caller, settings: Settings, *, now: float) -> str:
    """Ask the agent once a session to write what should last, where nothing was written for some turns."""
    if event.repeated or settings.hook_remind not in ("stop", "both"):
        return ""
    if injections.was_asked(connection, caller.namespace, caller.author):
        return ""
    if not wrote_nothing_lately(connection, caller, settings):
        return ""
    give_chosen(connection, event, caller, give.Chosen(0, 0.0), settings, closing=BEFORE_STOPPING, asked=True, now=now)
    return format_block(event, BEFORE_STOPPING)


def wrote_nothing_lately(connection: Connection, caller: Caller, settings: Settings) -> bool:
    """Return whether a session's last prompts, as many as a setting says, came with no write."""
    turns = injections.prompts_since_write(connection, caller.namespace, caller.author)
    return turns >= settings.hook_remind_turns
