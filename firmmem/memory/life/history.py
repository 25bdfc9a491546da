"""History: what a memory said before and says now, and every move it made."""

import json
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.shelves import label
from firmmem.store.statements import Connection, fetch


def versions(connection: Connection, memory_id: int, *, namespace: str) -> list[Any]:
    """Return the chain of supersession that a memory belongs to, oldest first.

    Raises:
        InvalidArgumentError: There is no such memory.
    """
    space = label(namespace)
    if not fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=space):
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}.")
    return fetch(connection, "version_chain", id=memory_id, namespace=space)


def moves(connection: Connection, memory_id: int) -> list[Any]:
    """Return the moves of one memory between tiers and shelves, oldest first."""
    return fetch(connection, "moves", memory=memory_id)
