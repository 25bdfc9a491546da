"""Conflicts: memories that can't both be right, for a person to settle."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firmmem.memory.rows.shelves import list_shelves
from firmmem.memory.write.near_duplicates import find_neighbours, overlap
from firmmem.store.statements import Connection, fetch
from firmmem.text.contradictions import contradicts

MOST = 1_000  # memories that are compared with their like, and pairs that are told


@dataclass(frozen=True)
class Conflict:
    """Two memories, the older first, and what they disagree about."""

    older: Any
    newer: Any
    about: str


def list_conflicts(connection: Connection, namespace: str, *, most: int = MOST) -> list[Conflict]:
    """Return pairs about one subject in different tiers, then those that seem to contradict each other.

    The latter are those noted when the second was written, and those found among the newest `most` memories, each
    compared with what shares its rarest words.
    """
    found: dict[tuple[int, int], str] = {}
    for row in fetch(connection, "subject_conflicts", namespace=namespace, most=most):
        found[row["id"], row["other"]] = f"both are about {row['subject']!r}"
    noted = fetch(connection, "noted_conflicts", namespace=namespace, most=most)
    for pair in [*((row["id"], row["other"]) for row in noted), *find_contradictions(connection, namespace, most)]:
        found.setdefault(pair, "they seem to contradict each other")
    ids = json.dumps([memory for pair in found for memory in pair])
    rows = {row["id"]: row for row in fetch(connection, "memory_by_id", ids=ids, namespace=namespace)}
    return [Conflict(rows[older], rows[newer], about) for (older, newer), about in found.items()]


def find_contradictions(connection: Connection, namespace: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the ids of near-duplicates that seem to contradict each other, the smaller first."""
    places = [shelf.rows for shelf in list_shelves(connection, namespace, ["active"], [""])]
    for row in fetch(connection, "newest_memories", namespace=namespace, most=most):
        words = row["words"]
        own = set(words.split())
        for place in places:
            # A word that one memory has is its own: it leads to no other.
            for other in find_neighbours(connection, words, place, [row["id"]], least=2):
                older, newer = sorted((row, other), key=lambda each: int(each["id"]))
                if overlap(own, set(other["words"].split()))[1] and contradicts(older["summary"], newer["summary"]):
                    yield older["id"], newer["id"]
