"""Memories whose text does not fit their hash: another program, or a failing disk, changed them in the file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from firmmem.memory.rows.shelves import is_altered
from firmmem.store.statements import fetch

if TYPE_CHECKING:
    from firmmem.contract import Question, Recalled
    from firmmem.store.statements import Connection


def note_altered(connection: Connection, question: Question, found: Recalled) -> Recalled:
    """Add a note on what is shown and was altered in the file."""
    if not found.memories:
        return found
    ids = json.dumps([memory.id for memory in found.memories])
    identities = {row["id"]: row["identity"] for row in fetch(connection, "identities", ids=ids)}
    altered = [
        memory.id
        for memory in found.memories
        if is_altered(question.namespace, memory.branch, memory.summary, identities[memory.id])
    ]
    if not altered:
        return found
    which = ", ".join(f"#{each}" for each in altered)
    said = (
        f"{which}: altered in the file by something other than FirmMem (the text does not fit its hash); don't trust it"
    )
    return replace(found, notes=(*found.notes, said))
