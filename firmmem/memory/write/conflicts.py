"""Conflicts: memories that can't both be right, for a person to settle."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firmmem.memory.rows.shelves import list_shelves
from firmmem.memory.write.near_duplicates import contradicts, find_neighbours
from firmmem.store.statements import Connection, fetch

MOST = 1_000  # memories that are compared with their like, and pairs that are told


@dataclass(frozen=True)
class Conflict:
    """Two memories, the older first, and what they disagree about."""

    older: Any
    newer: Any
    about: str


def list_conflicts(connection: Connection, namespace: str, *, most: int = MOST) -> list[Conflict]:
    """Return pairs about one subject in different tiers, then near-duplicates that differ in a number, a date or a not.

    The latter are those noted when the second was written, and those found among the newest `most` memories, each
    compared with what shares its rarest words.
    """
    found: dict[tuple[int, int], str] = {}
    for row in fetch(connection, "subject_conflicts", namespace=namespace, most=most):
        found[row["id"], row["other"]] = f"both are about {row['subject']!r}"
    noted = fetch(connection, "noted_conflicts", namespace=namespace, most=most)
    for pair in [*((row["id"], row["other"]) for row in noted), *find_contradictions(connection, namespace, most)]:
        found.setdefault(pair, "they differ in a number, a date or a not")
    ids = json.dumps([memory for pair in found for memory in pair])
    rows = {row["id"]: row for row in fetch(connection, "memory_by_id", ids=ids, namespace=namespace)}
    return [Conflict(rows[older], rows[newer], about) for (older, newer), about in found.items()]


def find_contradictions(connection: Connection, namespace: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the ids of near-duplicates that seem to contradict each other, the smaller first."""
    places = [shelf.rows for shelf in list_shelves(connection, namespace, ["active"], [""])]
    for row in fetch(connection, "newest_memories", namespace=namespace, most=most):
        words = row["words"]
        for place in places:
            # A word that one memory has is its own: it leads to no other.
            for other in find_neighbours(connection, words, place, [row["id"]], least=2):
                if contradicts(set(words.split()), set(other["words"].split())):
                    yield min(row["id"], other["id"]), max(row["id"], other["id"])
