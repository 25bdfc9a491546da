"""Core facts by a person's hand: list, add, edit, remove. Tools only add."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from firmmem.contract import Author, NewMemory, Written
from firmmem.database import Connection, fetch, run
from firmmem.errors import InvalidArgumentError
from firmmem.memory.shelves import identity, move, shelf_id, shelves
from firmmem.memory.write import checked, indexed, remember, rivals_of
from firmmem.settings import Settings

PERSON = Author(client="person", session="command line")


def listed(connection: Connection, namespace: str, *, removed: bool = False) -> list[Any]:
    """Return a namespace's core facts, oldest first; those a person removed on request."""
    states = ["archived"] if removed else ["active"]
    found = shelves(connection, namespace, states, [""])
    return [row for shelf in found for row in fetch(connection, "core_on_shelf", shelf=shelf.id)]


def add(
    connection: Connection,
    fact: str,
    settings: Settings,
    *,
    namespace: str,
    subject: str = "",
    tags: Sequence[str] = (),
    now: float,
) -> Written:
    """Add a core fact, or bring back the same one that was removed; needs a connection by a person.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    new = checked(NewMemory(fact, "core", namespace, subject=subject, tags=tuple(tags)), settings)
    written = remember(connection, new, PERSON, settings, now=now)
    if written.status != "removed":
        return written
    [row] = fetch(connection, "memory_by_id", ids=json.dumps([written.id]), namespace=new.namespace)
    move(
        connection,
        row,
        shelf_id(connection, new.namespace, "active", ""),
        now=now,
        cause="person",
        reason="added again",
    )
    return replace(written, status="restored")


def edit(
    connection: Connection,
    memory_id: int,
    fact: str,
    settings: Settings,
    *,
    namespace: str,
    subject: str | None = None,
) -> Any:
    """Change the text, or the subject too, of a core fact; needs a connection by a person. Return it as it was.

    Raises:
        InvalidArgumentError: No core fact has this id, or another one says the same.
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    row = core_row(connection, memory_id, namespace)
    new = checked(NewMemory(fact, "core", namespace, subject=row["subject"] if subject is None else subject), settings)
    key = identity(new.namespace, "", new.summary)
    twins = fetch(connection, "memory_by_identity", identity=key)
    rivals = rivals_of(connection, row["shelf"], new.subject, "core", but=memory_id).core
    for other in (*twins, *rivals):
        if other["id"] != memory_id:
            raise InvalidArgumentError(
                f"#{other['id']} ({other['tier']}) is about the same: change or remove that one."
            )
    keep_history(connection, row)
    words = indexed(new.summary, new.subject, tuple(json.loads(row["tags"])))
    run(
        connection,
        "core_edit",
        id=memory_id,
        summary=new.summary,
        subject=new.subject,
        identity=key,
        words=words.words,
        repeated=words.repeated,
        length=words.length,
    )
    return row


def keep_history(connection: Connection, row: Any) -> None:
    """Keep a core fact as it was, as history that the edited one supersedes."""
    [space] = fetch(connection, "namespace", shelf=row["shelf"])
    [next_id] = fetch(connection, "memory_next_id")
    shelf = shelf_id(connection, space["namespace"], "superseded", "")
    run(connection, "core_history", id=next_id["id"], of=row["id"], shelf=shelf)


def remove(connection: Connection, memory_id: int, *, namespace: str, now: float) -> Any:
    """Put a core fact away; needs a connection by a person. Return it.

    Raises:
        InvalidArgumentError: No core fact has this id.
    """
    row = core_row(connection, memory_id, namespace)
    move(
        connection,
        row,
        shelf_id(connection, namespace, "archived", ""),
        now=now,
        cause="person",
        reason="removed",
    )
    return row


def core_row(connection: Connection, memory_id: int, namespace: str) -> Any:
    """Return an active core fact by its id."""
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=namespace)
    if not rows or rows[0]["tier"] != "core" or rows[0]["state"] != "active":
        raise InvalidArgumentError(
            f"There is no core fact #{memory_id} in namespace {namespace!r}: see firmmem core list."
        )
    return rows[0]
