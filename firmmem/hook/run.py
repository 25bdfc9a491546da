"""One hook, from its event to its answer: within its time or not at all, and always with exit code 0."""

from __future__ import annotations

import _thread
import os
import sys
import time
from typing import TYPE_CHECKING

from firmmem.errors import FirmMemError
from firmmem.hook.log import log_line

if TYPE_CHECKING:
    from firmmem.hook.events import Event

BUSY_SECONDS = 0.25  # how long another process may hold the file


def main(arguments: list[str]) -> None:
    """Answer the event on stdin, or the one that the arguments name, and end the process with code 0.

    Anything but 0 could block a prompt, and anything but the answer on stdout would reach a model.
    """
    sys.stdout, written = None, sys.stdout  # what a library prints must not reach a model
    try:
        _thread.start_new_thread(give_up, (limit_seconds(),))
        answer = answer_event(arguments)
        if answer and written is not None:
            written.buffer.write(answer.encode("utf-8"))
            written.buffer.flush()
    finally:
        fault = sys.exc_info()[1]
        if fault is not None:
            log_line("hook", f"gave nothing: {type(fault).__name__}{f': {fault}' if is_ours(fault) else ''}")
        os._exit(0)


def is_ours(fault: BaseException) -> bool:
    """Return whether a fault's sentence is one of FirmMem's, which holds no memory and no prompt."""
    return isinstance(fault, FirmMemError)


def limit_seconds() -> float:
    """Return the seconds that a hook may take; read by itself, since reading settings may take them."""
    try:
        return min(60.0, max(0.05, float(os.environ.get("FIRMMEM_HOOK_SECONDS") or 1.0)))
    except ValueError:
        return 1.0


def give_up(seconds: float) -> None:
    """End the process once its time is over, whatever it waits for."""
    time.sleep(seconds)
    log_line("hook", f"gave nothing: it took longer than {seconds:g} s (FIRMMEM_HOOK_SECONDS)")
    os._exit(0)


def answer_event(arguments: list[str]) -> str:
    """Return what the hook writes to stdout."""
    from firmmem.hook.events import read_event

    event = read_event(arguments)
    if event is None or (event.kind == "prompt" and not event.prompt.strip()):
        return ""
    return answer_from_store(event, now=time.time())


def answer_from_store(event: Event, *, now: float) -> str:
    """Return the answer to an event from the store; nothing where there is no store yet."""
    from firmmem.hook import handle
    from firmmem.hook.plain_settings import read_plain_settings
    from firmmem.store import opening, statements

    settings = read_plain_settings()
    if not settings.db.is_file() or not settings.db.stat().st_size:
        log_line(event.kind, f"gave nothing: there is no store at {settings.db} yet")
        return ""
    statements.BUSY_SECONDS = BUSY_SECONDS
    connection = opening.open_connection(settings)
    try:
        return handle.handle_event(connection, event, settings, now=now)
    finally:
        connection.close()
