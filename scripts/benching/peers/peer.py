"""What is known of a peer: where it comes from, how it starts, and which call of it answers a question."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from support.stdio_client import StdioClient

LIMIT = 20  # memories asked for, where a call takes a number


class Call(NamedTuple):
    """A tool with its arguments, and how many memories a reply of it holds; of a write, how many it wrote."""

    tool: str
    arguments: dict[str, object]
    count: Callable[[str], int]


@dataclass(frozen=True)
class Peer:
    """A server over stdio, in an environment of its own.

    `command` takes the environment's folder and the file, `settings` the file: what the server is started with.
    `fill` takes a client, the file and a number of memories, and yields how many are written after each batch.
    """

    name: str
    command: Callable[[Path, Path], list[str]]
    search: Callable[[Sequence[str]], Call]
    recent: Callable[[], Call]
    write: Callable[[int, str], Call]
    how: str  # what its columns hold, in a sentence
    package: str = ""  # with the version, as its installer takes it
    installer: str = "pip"
    licence: str = ""
    settings: Callable[[Path], dict[str, str]] = lambda _: {}
    fill: Callable[[StdioClient, Path, int], Iterator[int]] = lambda *_: iter(())


def batches(size: int, batch: int) -> Iterator[range]:
    """Yield the numbers below a size, so many at a time."""
    for start in range(0, size, batch):
        yield range(start, min(size, start + batch))
