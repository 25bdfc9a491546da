"""What surrounds the SDK's stdio transport: descriptors of its own, a reply to every line, a clean end.

The SDK reads and writes a `Wire` where it would open stdin and stdout itself.
"""

import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from io import TextIOWrapper
from typing import cast

import anyio

from firmmem.stdio.client_wire import GRACE_S, LAST_S, Streams, Wire

PARENT_S = 2.0  # how often to look whether the client still lives

Run = Callable[[anyio.AsyncFile[str]], Awaitable[None]]


def claim_stdio() -> Streams:
    """Take stdin and stdout for the protocol alone: whatever else reads finds nothing, prints go to stderr.

    Call it before anything that might print is imported. Until `serve`, SIGTERM and SIGINT end the process.
    """
    _on_signal(lambda: os._exit(0))
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # closed: a file opened later must not get its number
            os.open(os.devnull, os.O_RDWR)
    streams = Streams(os.dup(0), os.dup(1), os.getppid())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)
    return streams


def serve(run: Run, streams: Streams | None = None) -> None:
    """Run `run` over stdio until the input ends, SIGTERM or SIGINT comes, or the client is gone.

    Requests that came before the end are answered if that takes no longer than `GRACE_S`; then `run` is
    cancelled, and after `LAST_S` the process is ended.
    """
    anyio.run(_serve, run, streams or claim_stdio())


async def _serve(run: Run, streams: Streams) -> None:
    wire = Wire(streams, ending=_last_resort, stuck=_leave)
    _on_signal(wire.end)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_watch_parent, streams.parent, wire.end)
            tasks.start_soon(_cancel_late, wire.ended, tasks.cancel_scope)
            async with wire:
                await run(cast("anyio.AsyncFile[str]", wire))
            tasks.cancel_scope.cancel()
    finally:
        wire.end()


def _on_signal(do: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: do())


async def _watch_parent(parent: int, end: Callable[[], None]) -> None:
    """End when the client has died: its pipe stays open as long as another process holds a copy."""
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing tells of it
        await anyio.sleep(PARENT_S)
    end()


async def _cancel_late(ended: anyio.Event, scope: anyio.CancelScope) -> None:
    await ended.wait()
    await anyio.sleep(GRACE_S + 0.1)
    scope.cancel()


def _last_resort() -> None:
    """End the process in `LAST_S`, if a thread or the event loop is still blocked by then."""
    timer = threading.Timer(LAST_S, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    os.write(2, b"firmmem: ended while something was still running\n")
    os._exit(0)
