"""Adding, archiving, restoring and voting by a person's hand, core facts too; needs a connection by a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firmmem.contract import PERSON, Changed, NewMemory, Outcome, Written
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf, normalise_label
from firmmem.memory.rows.supersede import find_rivals
from firmmem.memory.trust.feedback import clean_remark, find_named, record_feedback
from firmmem.memory.trust.quarantine import release
from firmmem.memory.write.archive import obstacle_to_archiving, obstacle_to_restoring
from firmmem.memory.write.core_facts import add_fact
from firmmem.memory.write.write import check_memory, store_memory
from firmmem.store.statements import Connection

if TYPE_CHECKING:
    from firmmem.settings import Settings


def add_memory(connection: Connection, new: NewMemory, settings: Settings, *, now: float) -> Written:
    """Store a memory of any tier that a person wrote.

    Raises:
        InvalidTextError: The text or a label can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    if new.tier == "core":
        return add_fact(
            connection, new.summary, settings, namespace=new.namespace, subject=new.subject, tags=new.tags, now=now
        )
    return store_memory(connection, check_memory(new, settings), PERSON, settings, now=now)


def archive_by_person(
    connection: Connection,
    memory_ids: Sequence[int],
    settings: Settings,
    *,
    namespace: str,
    reason: str = "",
    now: float,
) -> Changed:
    """Put memories away, those in quarantine too; return a line on each."""
    said, space = clean_remark(reason, settings), normalise_label(namespace)
    lines, done = [], 0
    for memory_id, row in find_named(connection, memory_ids, namespace=space, branch="").items():
        obstacle = obstacle_to_archiving_by_person(row)
        lines.append(f"#{memory_id} {obstacle or 'archived'}")
        if not obstacle:
            shelf = ensure_shelf(connection, space, "archived", row["branch"])
            move_to_shelf(connection, row, shelf, now=now, cause="person", reason=said or "archived")
            done += 1
    return Changed(tuple(lines), done)


def obstacle_to_archiving_by_person(row: Any) -> str:
    """Return why a person can't archive a memory, or nothing."""
    if row is not None and row["state"] in ("active", "quarantined"):
        return ""
    if row is not None and row["state"] in ("archived", "erased"):
        return "is already archived" if row["state"] == "archived" else "was erased"
    return obstacle_to_archiving(row)


def restore_by_person(
    connection: Connection,
    memory_ids: Sequence[int],
    settings: Settings,
    *,
    namespace: str,
    reason: str = "",
    now: float,
) -> Changed:
    """Bring memories back into use from the archive, from history or from quarantine; return a line on each."""
    said, space = clean_remark(reason, settings), normalise_label(namespace)
    lines, done = [], 0
    for memory_id, row in find_named(connection, memory_ids, namespace=space, branch="").items():
        obstacle = restore_one(connection, row, memory_id, namespace=space, reason=said, now=now)
        lines.append(f"#{memory_id} {obstacle or 'restored'}")
        done += not obstacle
    return Changed(tuple(lines), done)


def restore_one(connection: Connection, row: Any, memory_id: int, *, namespace: str, reason: str, now: float) -> str:
    """Bring one memory back; return why it can't be, or nothing."""
    if row is not None and row["state"] == "quarantined":
        try:
            release(connection, memory_id, namespace=namespace, reason=reason or "restored", now=now)
        except InvalidArgumentError as error:
            return f"stays in quarantine: {error}"
        return ""
    if row is not None and row["tier"] == "core" and row["state"] in ("archived", "superseded"):
        obstacle = obstacle_to_core(connection, row, namespace)
    else:
        obstacle = obstacle_to_restoring(connection, row, namespace)
    if not obstacle:
        shelf = ensure_shelf(connection, namespace, "active", row["branch"])
        move_to_shelf(connection, row, shelf, now=now, cause="person", reason=reason or "restored")
    return obstacle


def obstacle_to_core(connection: Connection, row: Any, namespace: str) -> str:
    """Return why a core fact that was put away can't come back, or nothing."""
    if row["state"] == "superseded":
        return f"is an earlier version of #{row['superseded_by']}: edit that one"
    shelf = ensure_shelf(connection, namespace, "active", "")
    rivals = find_rivals(connection, shelf, row["subject"], "core", but=row["id"]).core
    return f"is about {row['subject']!r}, as #{rivals[0]['id']} is: archive that one first" if rivals else ""


def vote_by_person(
    connection: Connection,
    memory_ids: Sequence[int],
    outcome: Outcome,
    settings: Settings,
    *,
    namespace: str,
    note: str = "",
    now: float,
) -> Changed:
    """Say that memories proved right, wrong or verified; return a line on each."""
    return record_feedback(
        connection,
        memory_ids,
        outcome,
        PERSON,
        settings,
        namespace=normalise_label(namespace),
        branch="",
        note=clean_remark(note, settings),
        now=now,
    )
