"""What surrounds the SDK's stdio transport: descriptors of its own, a reply to every line, a clean end.

The SDK reads and writes a `Wire` where it would open stdin and stdout itself.
"""

import asyncio
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import NamedTuple, Self, cast

import anyio
import anyio.to_thread

from firmmem import jsonrpc
from firmmem.pipes import LONGEST_LINE, Line, Lines, arrived, arriving, room, wait_for_hang_up

QUEUED = 16  # lines read ahead
UNANSWERED = 64  # requests in flight before the next line waits: a flood stays in the pipe
GRACE_S = 1.2  # after the end of input, for requests in flight
LAST_S = 1.7  # after the end of input the process is gone, whatever still runs: clients kill after 2
GUARDED_S = 0.1  # how often to look whether the event loop still turns, once the client is gone
PARENT_S = 2.0  # how often to look whether the client still lives

Run = Callable[[anyio.AsyncFile[str]], Awaitable[None]]


class Streams(NamedTuple):
    """The descriptors that carry the protocol, and the process that started this one."""

    stdin: int
    stdout: int
    parent: int


def claim() -> Streams:
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
    anyio.run(_serve, run, streams or claim())


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


class Wire:
    """One client: an asynchronous iterator over its messages, and a file to write replies to.

    `ending` is called once, as the input ends; `stuck` if it has and the event loop does not turn to find it out.
    """

    def __init__(
        self, streams: Streams, ending: Callable[[], None] = lambda: None, stuck: Callable[[], None] = lambda: None
    ) -> None:
        self.ended = anyio.Event()
        self._streams = streams
        self._ending: Callable[[], None] | None = ending
        self._stuck = stuck
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._send, self._receive = anyio.create_memory_object_stream[Line](math.inf)
        self._queued = 0
        self._lines = Lines()
        self._listening = self._paused = False  # whether the event loop waits for input, or will again
        self._room = threading.Semaphore(QUEUED)  # where a thread does
        self._writing = threading.Lock()
        self._room_in_pipe = room(streams.stdout)
        self._threads = anyio.CapacityLimiter(2)  # for the SDK's replies, and for our own
        self._unanswered: set[str] = set()
        self._settled = anyio.Event()

    async def __aenter__(self) -> Self:
        try:
            self._listen()
            threading.Thread(target=self._guard, name="hang-up", daemon=True).start()
        except (NotImplementedError, OSError):  # Windows, or a file: only a thread can wait for it
            # Our own: one of anyio's would hold up the exit for as long as it is blocked in read.
            threading.Thread(target=self._read, name="stdin", daemon=True).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = True
        self._stop_listening()
        self._send.close()
        self._receive.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        """Return the next message; the input ends when the last request is answered.

        Only then, because the SDK cancels what is in flight as soon as its input ends.
        """
        while True:
            await self._settle(UNANSWERED)
            try:
                line, whole = await self._receive.receive()
            except anyio.EndOfStream:
                await self._settle(1)
                raise StopAsyncIteration from None
            self._taken()
            if line.strip():
                try:
                    return self._expect(line, whole)
                except jsonrpc.MalformedError as malformed:
                    await self.write(malformed.reply + "\n")

    def _expect(self, line: bytes, whole: bool) -> str:
        if not whole:
            raise jsonrpc.malformed(line, f"the line is longer than {LONGEST_LINE} bytes")
        message = jsonrpc.read(line)
        if message.asks is not None:
            self._unanswered.add(message.asks)
        if message.cancels is not None:
            self._done(message.cancels)
        return message.text

    async def _settle(self, most: int) -> None:
        """Wait, but not for ever, until fewer than `most` requests are unanswered."""
        if len(self._unanswered) < most:
            return
        with anyio.move_on_after(GRACE_S):
            while len(self._unanswered) >= most:
                self._settled = anyio.Event()
                await self._settled.wait()

    def _done(self, id_: str) -> None:
        self._unanswered.discard(id_)
        self._settled.set()

    async def write(self, line: str) -> None:
        """Write a whole line without stopping the event loop: a client that doesn't read must not hold up the others.

        A line that the client surely has room for is written at once: a thread takes a twentieth of a call's time.
        """
        data = line.encode()
        if len(data) <= self._room_in_pipe() and self._writing.acquire(blocking=False):
            self._write(data)
            self._writing.release()
        else:
            await anyio.to_thread.run_sync(self._write_in_turn, data, abandon_on_cancel=True, limiter=self._threads)
        id_ = jsonrpc.answered(line)
        if id_ is not None:
            self._done(id_)

    async def flush(self) -> None:
        """Nothing is held back."""

    def _write_in_turn(self, data: bytes) -> None:
        with self._writing:
            self._write(data)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._streams.stdout, rest) :]
        except OSError:  # nobody reads any more
            self.end()

    def _listen(self) -> None:
        self._loop.add_reader(self._streams.stdin, self._readable)
        self._listening, self._paused = True, False

    def _stop_listening(self) -> None:
        if self._listening:
            self._loop.remove_reader(self._streams.stdin)
        self._listening = self._paused = False

    def _guard(self) -> None:
        """Tell if the client is gone and the event loop, which should find that out, has stood still since."""
        wait_for_hang_up(self._streams.stdin)
        while self._ending is not None and not self._closed:
            turned = threading.Event()
            self._post(turned.set)
            if not turned.wait(LAST_S) and not self._closed:
                self._stuck()
            time.sleep(GUARDED_S)

    def _readable(self) -> None:
        """Take what has come, which does not block; with enough read ahead the rest stays in the pipe."""
        chunk = arrived(self._streams.stdin)
        for line in self._lines.add(chunk) if chunk else self._lines.rest():
            self._put(line)
        if not chunk:
            self._stop_listening()
            self.end()
        elif self._queued >= QUEUED:
            self._stop_listening()
            self._paused = True

    def _read(self) -> None:
        for line in arriving(self._streams.stdin):
            self._room.acquire()
            self._post(self._put, line)
        self.end()

    def _put(self, line: Line) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._send.send_nowait(line)
            self._queued += 1

    def _taken(self) -> None:
        self._queued -= 1
        self._room.release()
        if self._paused and self._queued < QUEUED:
            self._listen()

    def end(self) -> None:
        """End the input, as though the client had closed it; from any thread, or a signal handler."""
        ending, self._ending = self._ending, None
        if ending is not None:
            ending()
            self._post(self._send.close)
            self._post(self.ended.set)

    def _post(self, do: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(do, *arguments)
