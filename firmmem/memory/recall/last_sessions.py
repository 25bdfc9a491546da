"""What the last sessions wrote, newest first: by the session of each, or before there were any by gaps in time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firmmem.contract import Question
from firmmem.memory.recall.scope import Scope
from firmmem.memory.rows.sessions import HOUR, find_session
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

LOOKED = 50  # memories that are looked at on each shelf, the newest


@dataclass
class Stretch:
    """One session and the memories it wrote, newest first."""

    at: float  # when it wrote last
    client: str
    now: bool = False  # the caller's own
    memories: list[int] = field(default_factory=list)


def last_stretches(
    connection: Connection, question: Question, scope: Scope, settings: Settings, most: int, *, looked: int = LOOKED
) -> list[Stretch]:
    """Return the sessions that wrote last, newest first, `most` of them at most."""
    now = scope.parameters["now"]
    author = question.author
    own = find_session(connection, question.namespace, author, settings, now=now) if author else None
    found: dict[object, Stretch] = {}
    newest = [row for row in newest_rows(connection, scope, looked) if row["tier"] != "core"]
    for row, key in with_session(newest, settings.session_gap_hours * HOUR):
        if key not in found and len(found) == most:
            continue
        client = row["source"] if row["client"] is None else row["client"]
        mine = own is not None and row["session"] == own["id"]
        stretch = found.setdefault(key, Stretch(row["created_at"], client, mine))
        stretch.memories.append(row["id"])
    return list(found.values())


def written_between(connection: Connection, scope: Scope, since: float, until: float, most: int) -> list[int]:
    """Return what was written in a span of time, newest first; core facts where there is nothing else."""
    found = newest_rows(connection, scope, most, since=since, until=until)
    others = [row["id"] for row in found if row["tier"] != "core"]
    return others or [row["id"] for row in found]


def newest_rows(
    connection: Connection, scope: Scope, most: int, *, since: float = -math.inf, until: float = math.inf
) -> list[Any]:
    """Return the newest memories, newest first."""
    found = [
        row
        for shelf in scope.shelves
        for row in fetch(connection, "recent", shelf=shelf.id, since=since, until=until, most=most)
    ]
    if len(scope.shelves) > 1:
        found.sort(key=lambda row: (row["created_at"], row["id"]), reverse=True)
    return found


def with_session(rows: list[Any], gap: float) -> Iterator[tuple[Any, object]]:
    """Yield each row with what names its session; a row without one belongs to its client's stretch without a gap."""
    last: dict[str, tuple[int, float]] = {}
    for row in rows:
        if row["session"] is not None:
            yield row, row["session"]
            continue
        number, later = last.get(row["source"], (0, row["created_at"]))
        number += later - row["created_at"] > gap
        last[row["source"]] = number, row["created_at"]
        yield row, (row["source"], number)
