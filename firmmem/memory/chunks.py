"""Chunks: how much of a long piece of work one transaction does, so that others can write."""

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

LONGEST = 0.02  # seconds after which a transaction ends before its chunk is done


def briefly(rows: Iterable[T]) -> Iterator[T]:
    """Yield rows, one at least, until a transaction that began now has lasted long enough."""
    until = time.perf_counter() + LONGEST
    for row in rows:
        yield row
        if time.perf_counter() > until:
            return
