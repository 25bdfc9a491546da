"""Pipes: what arrives by one, cut into lines, and how much one takes without blocking."""

import os
import select
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

from firmmem.stdio.jsonrpc import ENDS

if sys.platform == "linux":
    import fcntl
    import termios

CHUNK = 2**16  # bytes; what a pipe holds
LONGEST_LINE = 32 * 2**20  # bytes; far beyond any message a tool takes, and still little memory

Line = tuple[bytes, bool]


class Lines:
    """What has arrived of a line that has not ended, and how lines are found in it.

    A line comes with whether it is whole: of one over `longest` bytes only both ends are kept.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._line = bytearray()
        self._whole = True

    def add(self, chunk: bytes) -> list[Line]:
        """Return the lines that end in the next chunk."""
        *ends, rest = chunk.split(b"\n")
        ended = [self._ended(end) for end in ends]
        self._line += rest
        if len(self._line) > self._longest:
            del self._line[ENDS:-ENDS]
            self._whole = False
        return ended

    def rest(self) -> list[Line]:
        """Return what came after the last line's end, if anything did, as the input ends."""
        return [self._ended(b"")] if self._line else []

    def _ended(self, end: bytes) -> Line:
        self._line += end
        line = bytes(self._line), self._whole and len(self._line) <= self._longest
        self._line.clear()
        self._whole = True
        return line


def read_available(descriptor: int) -> bytes:
    """Return what has arrived, once something has; nothing at the end of the input."""
    with suppress(OSError):  # a terminal that hung up
        return os.read(descriptor, CHUNK)
    return b""


def read_lines(descriptor: int) -> Iterator[Line]:
    """Wait for lines and yield them, until the input ends."""
    lines = Lines()
    while chunk := read_available(descriptor):
        yield from lines.add(chunk)
    yield from lines.rest()


def wait_for_hang_up(descriptor: int) -> None:
    """Wait until nobody can write any more to what is read here, whether or not all of it has been read."""
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))  # hang-ups of pipes are reported unasked
    poll.poll()


def room_in_pipe(descriptor: int) -> Callable[[], int]:
    """Return what tells how many bytes a descriptor takes without blocking, as far as the system promises any."""
    if not hasattr(select, "poll"):
        return lambda: 0
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    size = pipe_size(descriptor)

    def free() -> int:
        if not any(event == select.POLLOUT for _, event in poll.poll(0)):
            return 0
        return size if size and not unread_bytes(descriptor) else select.PIPE_BUF

    return free


def pipe_size(descriptor: int) -> int:
    """Return how many bytes an empty pipe takes, 0 for what is no pipe and where the system does not tell."""
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    return 0


def unread_bytes(descriptor: int) -> int:
    """Return how many bytes of a pipe nobody has read yet; asked only where `pipe_size` knew."""
    if sys.platform == "linux":
        return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)
    raise NotImplementedError
