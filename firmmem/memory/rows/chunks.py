"""Chunks: how much of a long piece of work one transaction does, so that others can write."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

from firmmem.store.statements import Connection

P = ParamSpec("P")
T = TypeVar("T")

# Seconds after which a transaction ends before its chunk is done. The commit comes on top: a memory that moves changes
# about 17 pages where there are a million, and its transaction writes them twice, to the WAL and to the file.
LONGEST = 0.01
BEGINNING = (-math.inf, 0)  # before every row, in the order of a column and the id


def take_while_brief(rows: Iterable[T]) -> Iterator[T]:
    """Yield rows, one at least, until a transaction that began now has lasted long enough."""
    until = time.perf_counter() + LONGEST
    for row in rows:
        yield row
        if time.perf_counter() > until:
            return


def change_some(
    connection: Connection,
    items: Iterable[T],
    change: Callable[Concatenate[Connection, T, P], int],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> tuple[int, int]:
    """Call `change` for as many items as a transaction may last; return how many it saw, and how many it changed."""
    seen = changed = 0
    for item in take_while_brief(items):
        changed += change(connection, item, *args, **kwargs)
        seen += 1
    return seen, changed
