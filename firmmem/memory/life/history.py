"""History: what a memory said before and says now, and every move it made."""

import json
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.shelves import normalise_label
from firmmem.store.statements import Connection, fetch


def list_versions(connection: Connection, memory_id: int, *, namespace: str) -> list[Any]:
    """Return the chain of supersession that a memory belongs to, oldest first.

    Raises:
        InvalidArgumentError: There is no such memory.
    """
    space = normalise_label(namespace)
    if not fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=space):
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}.")
    return fetch(connection, "version_chain", id=memory_id, namespace=space)


def list_moves(connection: Connection, memory_id: int) -> list[Any]:
    """Return the moves of one memory between tiers and shelves, oldest first."""
    return fetch(connection, "moves", memory=memory_id)
