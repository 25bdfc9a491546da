"""Shelves and goals: where memories lie, what they serve, and what either may be called."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from unicodedata import normalize

from firmmem.contract import TIERS, Tier
from firmmem.errors import InvalidTextError
from firmmem.memory.rows.moves import note_move
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import clean_text, normal_form, to_one_line

LABEL_CAP = 200  # characters of a namespace, a branch, a goal, a subject or a tag


def normalise_label(text: str) -> str:
    """Return the name of a namespace, a branch, a goal, a subject or a tag as it is stored and looked for.

    Raises:
        InvalidTextError: It is no name; a long one is not cut, since two of them could become the same.
    """
    if not text.strip():
        return ""
    try:
        name = normalize("NFC", to_one_line(clean_text(text)))
    except InvalidTextError:
        name = ""
    if not 0 < len(name) <= LABEL_CAP:
        raise InvalidTextError(f"A namespace, branch, goal, subject or tag is 1 to {LABEL_CAP} visible characters.")
    return name


@dataclass(frozen=True)
class Shelf:
    """One namespace, state and branch, and what is there."""

    id: int
    state: str
    branch: str
    memories: dict[Tier, int]
    words: int

    @property
    def size(self) -> int:
        """How many memories lie there."""
        return sum(self.memories.values())

    @property
    def rows(self) -> tuple[int, int]:
        """The lowest and the highest row of the search index that can be of this shelf."""
        return row_range(self.id)


def row_range(shelf: int) -> tuple[int, int]:
    """Return the lowest and the highest row of the search index that can be of a shelf."""
    return shelf << 40, (shelf << 40) | ((1 << 40) - 1)


def ensure_shelf(connection: Connection, namespace: str, state: str, branch: str) -> int:
    """Return the id of a shelf, which is made if it is not there."""
    place = {"namespace": namespace, "state": state, "branch": branch}
    found = fetch(connection, "shelf", **place)
    if not found:
        run(connection, "shelf_insert", **place)
        found = fetch(connection, "shelf", **place)
    return int(found[0]["id"])


def list_shelves(connection: Connection, namespace: str, states: Iterable[str], branches: Iterable[str]) -> list[Shelf]:
    """Return the shelves of a namespace in these states and branches."""
    rows = fetch(
        connection,
        "shelves",
        namespace=namespace,
        states=json.dumps(list(states)),
        branches=json.dumps(list(branches)),
    )
    return [
        Shelf(row["id"], row["state"], row["branch"], {tier: row[tier] for tier in TIERS}, row["words"]) for row in rows
    ]


def memories_on_shelf(connection: Connection, namespace: str, state: str, branch: str) -> list[Any]:
    """Return every memory of a namespace in a state and a branch."""
    found = list_shelves(connection, namespace, [state], [branch])
    return [row for shelf in found for row in fetch(connection, "memory_on_shelf", shelf=shelf.id)]


def find_goal(connection: Connection, namespace: str, goal_id: str) -> Any:
    """Return a goal's row, or None where it was never named."""
    found = fetch(connection, "goal", namespace=namespace, name=goal_id)
    return found[0] if found else None


def ensure_goal(connection: Connection, namespace: str, goal_id: str) -> Any:
    """Return a goal's row, which is made if it is not there."""
    run(connection, "goal_insert", namespace=namespace, name=goal_id)
    return find_goal(connection, namespace, goal_id)


def is_altered(namespace: str, branch: str, summary: str, identity: bytes) -> bool:
    """Return whether a memory's text is not the one that was stored: something other than FirmMem wrote it."""
    return known_identity(namespace, branch, summary) != identity


@lru_cache(maxsize=4096)  # the same memories are shown again and again
def known_identity(namespace: str, branch: str, summary: str) -> bytes:
    """Return the identity of a text, from memory where it was computed before."""
    return memory_identity(namespace, branch, summary)


def memory_identity(namespace: str, branch: str, summary: str) -> bytes:
    """Return what makes a memory the same memory: 16 bytes of its namespace, branch and normal form."""
    text = json.dumps([namespace, branch, normal_form(summary)], ensure_ascii=False)
    return blake2b(text.encode(), digest_size=16).digest()


def move_to_shelf(
    connection: Connection,
    row: Any,
    shelf: int,
    *,
    now: float,
    cause: str,
    reason: str = "",
    superseded_by: int | None = None,
    identity: bytes | None = None,
    run_id: int | None = None,
) -> None:
    """Put a memory on another shelf, and note who or what put it there and why."""
    note_move(connection, row["id"], shelf=shelf, now=now, cause=cause, reason=reason, run_id=run_id)
    run(
        connection,
        "move",
        id=row["id"],
        shelf=shelf,
        identity=identity or row["identity"],
        superseded_by=superseded_by,
        now=now,
        cause=cause,
        reason=reason,
    )
