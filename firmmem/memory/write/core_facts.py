"""Core facts by a person's hand: list, add, edit, remove. Tools only add."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import PERSON, NewMemory, Written
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.shelves import ensure_shelf, list_shelves, move_to_shelf, normalise_label
from firmmem.memory.rows.supersede import find_rivals
from firmmem.memory.write.edit import Edit, edit_memory
from firmmem.memory.write.write import check_memory, refuse_core_subject, store_memory
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import normal_form

if TYPE_CHECKING:
    from firmmem.settings import Settings

EVERY_STATE = ("active", "archived", "superseded")


def list_core_facts(connection: Connection, namespace: str, states: Sequence[str] = ("active",)) -> list[Any]:
    """Return a namespace's core facts, oldest first: active ones, removed ones (archived), earlier versions."""
    found = list_shelves(connection, normalise_label(namespace), states, [""])
    rows = [row for shelf in found for row in fetch(connection, "core_on_shelf", shelf=shelf.id)]
    return sorted(rows, key=lambda row: int(row["id"]))


def add_fact(
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
    new = check_memory(NewMemory(fact, "core", namespace, subject=subject, tags=tuple(tags)), settings)
    written = store_memory(connection, new, PERSON, settings, now=now)
    if written.status != "removed":
        return written
    [row] = fetch(connection, "memory_by_id", ids=json.dumps([written.id]), namespace=new.namespace)
    shelf = ensure_shelf(connection, new.namespace, "active", "")
    rivals = find_rivals(connection, shelf, row["subject"], "core").core
    if rivals:
        return refuse_core_subject(rivals[0])
    move_to_shelf(connection, row, shelf, now=now, cause="person", reason="added again")
    return replace(written, status="restored")


def edit_fact(
    connection: Connection,
    memory_id: int,
    fact: str,
    settings: Settings,
    *,
    namespace: str,
    subject: str | None = None,
    tags: Sequence[str] | None = None,
    now: float,
) -> Any:
    """Change the text of a core fact, and what else is given; needs a connection by a person. Return it as it was.

    Raises:
        InvalidArgumentError: No core fact has this id, or another one says the same.
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    row = core_row(connection, memory_id, namespace)
    edit = Edit(fact, subject=subject, tags=tags)
    edit_memory(connection, memory_id, edit, settings, namespace=namespace, now=now)
    return row


def decided_by_person(connection: Connection, fact: str, *, namespace: str) -> Any:
    """Return what a person has made of a fact of this text, removed or edited it since; None if nothing."""
    same = normal_form(fact)
    rows = list_core_facts(connection, namespace, ("archived", "superseded"))
    return next((row for row in reversed(rows) if normal_form(row["summary"]) == same), None)


def remove_fact(connection: Connection, memory_id: int, *, namespace: str, now: float) -> Any:
    """Put a core fact away; needs a connection by a person. Return it.

    Raises:
        InvalidArgumentError: No core fact has this id.
    """
    row = core_row(connection, memory_id, namespace)
    shelf = ensure_shelf(connection, normalise_label(namespace), "archived", "")
    move_to_shelf(connection, row, shelf, now=now, cause="person", reason="removed")
    return row


def core_row(connection: Connection, memory_id: int, namespace: str) -> Any:
    """Return an active core fact by its id."""
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=normalise_label(namespace))
    if not rows or rows[0]["tier"] != "core" or rows[0]["state"] != "active":
        raise InvalidArgumentError(
            f"There is no core fact #{memory_id} in namespace {namespace!r}: see firmmem core list."
        )
    return rows[0]
