"""What the last sessions wrote, newest first: by the session of each, or before there were any by gaps in time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firmmem.contract import Question
from firmmem.memory.recall.scope import Scope
from firmmem.memory.rows.sessions import HOUR, find_session
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

LOOKED = 100  # memories that are looked at on each shelf, the newest


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
    for row, key in with_session(newest_rows(connection, scope, looked), settings.session_gap_hours * HOUR):
        if key not in found and len(found) == most:
            continue
        client = row["source"] if row["client"] is None else row["client"]
        mine = own is not None and row["session"] == own["id"]
        stretch = found.setdefault(key, Stretch(row["created_at"], client, mine))
        stretch.memories.append(row["id"])
    return list(found.values())


def newest_rows(connection: Connection, scope: Scope, most: int) -> list[Any]:
    """Return the newest memories that are no core facts, newest first."""
    found = [
        row
        for shelf in scope.shelves
        for row in fetch(connection, "recent", shelf=shelf.id, most=most)
        if row["tier"] != "core"
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
