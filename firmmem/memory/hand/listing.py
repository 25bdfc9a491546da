"""List and show: every memory that passes some filters, page by page, and one memory whole."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firmmem.contract import TIERS, Tier
from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.history import list_moves, list_versions
from firmmem.memory.rows.shelves import Shelf, find_goal, list_shelves, normalise_label, row_range
from firmmem.memory.trust.votes import list_votes
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import normal_form
from firmmem.text.search_words import match_expression, query_terms

MOST = 1_000  # memories of one page


@dataclass(frozen=True)
class Listing:
    """Which memories are asked for. `since` and `until` are seconds since 1970 UTC, half open."""

    namespace: str
    words: str = ""
    states: Sequence[str] = ("active",)
    tiers: Sequence[Tier] = TIERS
    tags: Sequence[str] = ()
    goal: str = ""
    subject: str = ""
    branch: str = ""
    client: str = ""
    since: float = -math.inf
    until: float = math.inf
    limit: int = 50
    below: int = 2**40  # ids below this one: the last page's `next`


@dataclass(frozen=True)
class Page:
    """Some memories, newest first, and where the next page begins; None where there is none."""

    rows: list[Any]
    next: int | None


@dataclass(frozen=True)
class Shown:
    """One memory with all that the file knows of it."""

    memory: Any
    versions: list[Any]
    moves: list[Any]
    votes: list[Any]
    conflicts: list[int]


def list_memories(connection: Connection, listing: Listing) -> Page:
    """Return a page of the memories that pass all filters, newest (of the highest id) first.

    Each shelf is read by the index that suits the filters, from where the last page ended.
    """
    namespace = normalise_label(listing.namespace)
    wanted: dict[str, Any] = {
        "tiers": json.dumps(list(listing.tiers)),
        "tags": json.dumps([normal_form(normalise_label(tag)) for tag in listing.tags]),
        "subject": normalise_label(listing.subject) if listing.subject else "",
        "client": listing.client,
        "since": max(listing.since, -1e300),
        "until": min(listing.until, 1e300),
        "goal": 0,
        "most": listing.limit + 1,
    }
    if listing.goal:
        goal = find_goal(connection, namespace, normalise_label(listing.goal))
        if goal is None:
            return Page([], None)
        wanted["goal"] = goal["id"]
    shelves = list_shelves(connection, namespace, listing.states, [normalise_label(listing.branch)])
    found = sorted(
        (each for shelf in shelves for each in ids_on_shelf(connection, shelf, listing, wanted)), reverse=True
    )
    page = found[: listing.limit]
    rows = fetch(connection, "memory_by_id", ids=json.dumps(page), namespace=namespace)
    return Page(rows, page[-1] if len(found) > listing.limit else None)


def ids_on_shelf(connection: Connection, shelf: Shelf, listing: Listing, wanted: dict[str, Any]) -> list[int]:
    """Return the next ids on one shelf, by the narrowest way to them."""
    if not any(shelf.memories[tier] for tier in listing.tiers):
        return []
    lowest, highest = row_range(shelf.id)
    place: dict[str, Any] = {"lowest": lowest, "highest": min(highest, lowest + listing.below - 1)}
    on_shelf: dict[str, Any] = {"shelf": shelf.id, "below": listing.below}
    if terms := query_terms(listing.words) if listing.words else []:
        match = " AND ".join(match_expression(term) for term in terms)
        rows = fetch(connection, "list_by_words", match=match, **place, **wanted)
    elif listing.words:
        rows = []
    elif listing.tags:
        rows = fetch(connection, "list_by_tag", tag=json.loads(wanted["tags"])[0], **on_shelf, **wanted)
    elif listing.subject:
        rows = fetch(connection, "list_by_subject", **on_shelf, **wanted)
    elif listing.goal:
        rows = fetch(connection, "list_by_goal", **on_shelf, **wanted)
    elif tuple(listing.tiers) == ("core",):
        rows = fetch(connection, "list_by_core", **on_shelf, **wanted)
    else:
        rows = fetch(connection, "list_by_shelf", **place, **wanted)
    return [row["id"] for row in rows]


def show_memory(connection: Connection, memory_id: int, *, namespace: str) -> Shown:
    """Return a memory with its versions, its moves, the votes on it and what it seemed to contradict.

    Raises:
        InvalidArgumentError: There is no such memory.
    """
    space = normalise_label(namespace)
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=space)
    if not rows:
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}: see firmmem list.")
    return Shown(
        rows[0],
        list_versions(connection, memory_id, namespace=namespace),
        list_moves(connection, memory_id),
        list_votes(connection, memory_id),
        [row["other"] for row in fetch(connection, "export_conflicts", memory=memory_id)],
    )


def goal_names(connection: Connection, rows: Sequence[Any]) -> dict[int, str]:
    """Return the names of the goals that some memories serve, by number."""
    wanted = json.dumps(sorted({row["goal"] for row in rows if row["goal"]}))
    return {row["id"]: row["name"] for row in fetch(connection, "goal_names", ids=wanted)}
