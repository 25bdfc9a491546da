"""Pinned questions: each must find its memory among the first five; one that does not any more says why."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.contract import Question, Recalled
from firmmem.dates.moments import format_day
from firmmem.errors import InvalidArgumentError
from firmmem.memory.recall.recall import recall
from firmmem.memory.rows.shelves import normalise_label
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import clean_text, to_one_line
from firmmem.text.screening import refuse

if TYPE_CHECKING:
    from firmmem.memory.recall.meaning import Meaning
    from firmmem.settings import Settings
    from firmmem.store.database import Database

log = logging.getLogger(__name__)

FIRST = 5  # places of an answer, one of which the memory must have
LOOKED = 50  # places that are looked through to say where it is now
BUDGET = 20_000


@dataclass(frozen=True)
class Checked:
    """One pin, where its memory is in the answer now (0: nowhere), and why it is not among the first."""

    pin: Any
    place: int
    cause: str


def add_pin(
    connection: Connection, question: str, memory_id: int, settings: Settings, *, namespace: str, now: float
) -> int:
    """Pin a question to the memory that answers it, in a transaction; return the pin's number.

    Raises:
        InvalidArgumentError: There is no such memory in use.
        RefusedTextError: The question holds a secret, or is no question.
    """
    asked = to_one_line(clean_text(question))
    refuse(asked, cap=settings.summary_cap)
    space = normalise_label(namespace)
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=space)
    if not rows or rows[0]["state"] == "erased":
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}: see firmmem list.")
    [pin] = fetch(connection, "pin_add", namespace=space, question=asked, expected=memory_id, now=now)
    return int(pin["id"])


def remove_pin(connection: Connection, pin_id: int, *, namespace: str) -> None:
    """Drop a pin, in a transaction.

    Raises:
        InvalidArgumentError: There is none of this number.
    """
    if not run(connection, "pin_remove", id=pin_id, namespace=normalise_label(namespace)):
        raise InvalidArgumentError(f"There is no pin {pin_id} in namespace {namespace!r}: see firmmem pin list.")


def list_pins(connection: Connection, namespace: str = "", *, failed: bool = False) -> list[Any]:
    """Return the pins of a namespace, or of all, as the last check found them."""
    return fetch(connection, "pins", namespace=normalise_label(namespace), failed=failed)


async def check_if_changed(database: Database, meaning: Meaning | None, *, now: float) -> list[Checked]:
    """Check every pin where something ran, was imported or migrated, or the model changed since the last check."""
    [state] = await database.read(fetch, "pin_state")
    if not state["pinned"] or (state["stamp"], state["model"]) == (state["checked"], model_name(meaning)):
        return []
    return await check_pins(database, meaning, now=now)


async def check_pins(database: Database, meaning: Meaning | None, *, namespace: str = "", now: float) -> list[Checked]:
    """Ask every pinned question, and note what each found; a pin that fails anew is a warning in the log."""
    [state] = await database.read(fetch, "pin_state")
    checked = []
    for pin in await database.read(list_pins, namespace):
        asked = Question(pin["namespace"], query=pin["question"], limit=LOOKED, token_budget=BUDGET)
        found = await recall(database, asked, meaning=meaning, now=now)
        places = {memory.id: place for place, memory in enumerate(found.memories, 1)}
        place = places.get(pin["expected"], 0)
        cause = ""
        if not 0 < place <= FIRST:
            cause = await database.read(find_cause, pin, place, found, state["model"], model_name(meaning))
            if pin["failed_at"] is None:
                log.warning("pin %s of namespace %s: %s", pin["id"], pin["namespace"], cause)
        checked.append(Checked(pin, place, cause))
    await database.write(note_checks, checked, "" if namespace else state["stamp"], model_name(meaning), now=now)
    return checked


def note_checks(connection: Connection, checked: list[Checked], stamp: str, model: str, *, now: float) -> None:
    """Note what a check found, and what the store was like, in a transaction."""
    for each in checked:
        run(connection, "pin_note", id=each.pin["id"], place=each.place, cause=each.cause, now=now)
    if stamp:
        run(connection, "pin_checked", stamp=stamp, model=model)


def model_name(meaning: Meaning | None) -> str:
    """Return what tells a model from another one; nothing where words alone are looked for."""
    return meaning.encoder.model.fingerprint if meaning and meaning.encoder else ""


def find_cause(connection: Connection, pin: Any, place: int, found: Recalled, old_model: str, model: str) -> str:
    """Return why a pinned memory is not among the first of its answer."""
    rows = (
        fetch(connection, "memory_by_id", ids=json.dumps([pin["expected"]]), namespace=pin["namespace"])
        if pin["expected"]
        else []
    )
    if not rows:
        return "the memory was deleted"
    row = rows[0]
    if row["state"] != "active":
        return f"#{row['id']} {cause_of_state(row)}"
    better = ", ".join(f"#{memory.id}" for memory in found.memories[: min(FIRST, (place or FIRST + 1) - 1)])
    where = f"#{row['id']} is at place {place}" if place else f"#{row['id']} is not in the answer"
    changed = "the model was changed, " if pin["checked_at"] is not None and old_model != model else ""
    edited = "it was edited since, " if row["source"] == "person" and row["reviewed_at"] > pin["created_at"] else ""
    return f"{where}: {changed}{edited}{f'{better} come first' if better else 'nothing is relevant enough'}"


def cause_of_state(row: Any) -> str:
    """Return what became of a memory that is not in use, and when."""
    day = format_day(row["state_at"])
    if row["superseded_by"]:
        return f"was superseded by #{row['superseded_by']} on {day}"
    if row["state_cause"] == "forgotten":
        return f"was forgotten on {day}"
    reason = f" ({to_one_line(row['state_reason'])})" if row["state_reason"] else ""
    if row["state"] == "quarantined":
        return f"is in quarantine since {day}{reason}"
    return f"was {row['state']} on {day}{reason}"
