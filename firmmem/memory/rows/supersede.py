"""Supersede: what a memory replaces, by its subject or by name, becomes history."""

import json
from dataclasses import dataclass
from typing import Any

from firmmem.contract import NewMemory, Quote, Tier
from firmmem.memory.rows.ranking_keys import RANK
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import to_one_line


@dataclass(frozen=True)
class Rivals:
    """Who else is about the same subject."""

    core: tuple[Any, ...]
    weaker: tuple[Any, ...]  # of an equal or lower tier: superseded
    firmer: tuple[Any, ...]  # of a higher tier: both stand, in conflict


def find_rivals(connection: Connection, shelf: int, subject: str, tier: Tier, but: int = 0) -> Rivals:
    """Return the memories on a shelf about a subject, by what a memory of `tier` may do to them."""
    rows = fetch(connection, "memory_by_subject", shelf=shelf, subject=subject) if subject else []
    others = [row for row in rows if row["id"] != but]
    return Rivals(
        core=tuple(row for row in others if row["tier"] == "core"),
        weaker=tuple(row for row in others if RANK[row["tier"]] >= RANK[tier] and row["tier"] != "core"),
        firmer=tuple(row for row in others if RANK[row["tier"]] < RANK[tier]),
    )


@dataclass(frozen=True)
class Superseded:
    """What a memory has put on the shelf of history, what it named and could not, and what to say of either."""

    quotes: tuple[Quote, ...]
    firmer: tuple[Any, ...] = ()  # named, of a higher tier: both stand, in conflict
    notes: tuple[str, ...] = ()


def supersede(
    connection: Connection, memory_id: int, new: NewMemory, weaker: tuple[Any, ...], *, now: float
) -> Superseded:
    """Put what the memory replaces on the shelf of history; a branch draft replaces nothing outside its branch."""
    named, firmer, notes = split_replaceable(connection, memory_id, new) if new.supersedes else ([], [], [])
    rows = {row["id"]: row for row in [*weaker, *named]}
    for row in rows.values():
        shelf = ensure_shelf(connection, new.namespace, "superseded", row["branch"])
        move_to_shelf(connection, row, shelf, now=now, cause="superseded", superseded_by=memory_id)
    return Superseded(tuple(quote_row(row) for row in rows.values()), tuple(firmer), tuple(notes))


def split_replaceable(connection: Connection, memory_id: int, new: NewMemory) -> tuple[list[Any], list[Any], list[str]]:
    """Return the memories named to be superseded that may be, those that are firmer, and a note on each that may not.

    A memory that was superseded since is taken for the one that it has become.
    """
    rows = fetch(connection, "memory_by_id", ids=json.dumps(new.supersedes), namespace=new.namespace)
    found = {row["id"]: row for row in rows}
    taken: dict[int, Any] = {}
    firmer, notes = [], []
    for wanted in new.supersedes:
        row = found.get(wanted)
        if row is not None and memory_id in (wanted, row["superseded_by"]):
            continue  # a call repeated, or a branch merged: nothing is left to do
        living = find_living(connection, row, new.namespace)
        if living is not None and living["id"] == memory_id:
            continue
        obstacle = "not found" if living is None else obstacle_to_superseding(living, new)
        if living is not None and living["id"] != wanted:
            notes.append(f"#{wanted} was superseded before and is #{living['id']} now, which is meant here")
        if not obstacle:
            taken[living["id"]] = living
            continue
        notes.append(f"#{wanted if living is None else living['id']} was not superseded: {obstacle}")
        if living is not None and is_firmer(living, new):
            firmer.append(living)
    return list(taken.values()), firmer, notes


def find_living(connection: Connection, row: Any, namespace: str) -> Any:
    """Return what a memory has become: itself, or the end of the chain of those that superseded it."""
    seen: set[int] = set()
    while row is not None and row["superseded_by"] and row["id"] not in seen:
        seen.add(row["id"])
        rows = fetch(connection, "memory_by_id", ids=json.dumps([row["superseded_by"]]), namespace=namespace)
        row = rows[0] if rows else None
    return row


def is_firmer(row: Any, new: NewMemory) -> bool:
    """Return whether a memory in use stands against a new one because its tier is higher."""
    return row["state"] == "active" and row["branch"] == new.branch and RANK[row["tier"]] < RANK[new.tier]


def obstacle_to_superseding(row: Any, new: NewMemory) -> str:
    """Return why a memory can't be superseded by a new one, or nothing."""
    if row["tier"] == "core":
        return "it is a core fact, which only a person changes"
    if row["state"] == "superseded":
        return f"it is already superseded by #{row['superseded_by']}"
    if row["state"] == "erased":
        return "it was erased"
    if row["state"] == "quarantined":
        return "it is in quarantine"
    if row["branch"] != new.branch:
        return "it is superseded when the branch is merged" if new.branch else "it belongs to a branch"
    if RANK[row["tier"]] < RANK[new.tier]:
        return f"it is {row['tier']}, firmer than {new.tier}; both stand, in conflict"
    return ""


def quote_row(row: Any) -> Quote:
    """Return a memory as it is mentioned next to an answer."""
    return Quote(row["id"], row["tier"], to_one_line(row["summary"]), row["subject"], row["created_at"])
