"""The wire to one client: lines in, replies out, by pipes that the event loop reads and writes itself where it can."""

import asyncio
import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Self

import anyio
import anyio.to_thread

from firmmem.stdio import jsonrpc
from firmmem.stdio.pipes import LONGEST_LINE, Line, Lines, read_available, read_lines, room_in_pipe, wait_for_hang_up

QUEUED = 16  # lines read ahead
UNANSWERED = 64  # requests in flight before the next line waits: a flood stays in the pipe
GRACE_S = 1.2  # after the end of input, for requests in flight
LAST_S = 1.7  # after the end of input the process is gone, whatever still runs: clients kill after 2
GUARDED_S = 0.1  # how often to look whether the event loop still turns, once the client is gone


class Streams(NamedTuple):
    """The descriptors that carry the protocol, and the process that started this one."""

    stdin: int
    stdout: int
    parent: int


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
        self._room_in_pipe = room_in_pipe(streams.stdout)
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
            raise jsonrpc.malformed_reply(line, f"the line is longer than {LONGEST_LINE} bytes")
        message = jsonrpc.parse_message(line)
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
            try:
                self._write(data)
            finally:
                self._writing.release()
        else:
            await anyio.to_thread.run_sync(self._write_in_turn, data, abandon_on_cancel=True, limiter=self._threads)
        id_ = jsonrpc.answered_id(line)
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
        chunk = read_available(self._streams.stdin)
        for line in self._lines.add(chunk) if chunk else self._lines.rest():
            self._put(line)
        if not chunk:
            self._stop_listening()
            self.end()
        elif self._queued >= QUEUED:
            self._stop_listening()
            self._paused = True

    def _read(self) -> None:
        for line in read_lines(self._streams.stdin):
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
