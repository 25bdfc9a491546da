"""Ids as a query: `#5`, `12` and `#3, #7` read those memories whole, wherever they are."""

from __future__ import annotations

import json
from typing import Final

from firmmem.contract import Question, Recalled, RecalledMemory
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.session_start import rows_by_id
from firmmem.memory.recall.token_budget import to_memory
from firmmem.patterns import lazy
from firmmem.store.statements import Connection, fetch

MOST: Final = 20  # memories that are read at once
HIGHEST: Final = 2**40  # above every id
_IDS = lazy(r"(?:memor(?:y|ies)\s+)?#?\d{1,12}(?:\s*(?:[,;、，；]|and\b|和|与|\s)\s*#?\d{1,12})*[.?。？]?")
_ID = lazy(r"#?(\d+)")


def asked_ids(query: str) -> list[int]:
    """Return the ids that a query consists of, or none."""
    plain = query.strip().lower()
    if not _IDS.fullmatch(plain):
        return []
    return [each for each in dict.fromkeys(int(found[1]) for found in _ID.finditer(plain)) if 0 < each < HIGHEST]


def answer_by_id(connection: Connection, question: Question, scope: Scope) -> Recalled | None:
    """Return the memories whose ids a query names; None where it names none, or a bare number is no memory's.

    One in quarantine is not recalled by its id either: that it is there is said.
    """
    ids = asked_ids(question.query)[:MOST]
    found = fetch(connection, "memory_by_id", ids=json.dumps(ids), namespace=question.namespace) if ids else []
    states = {row["id"]: row["state"] for row in found}
    if not ids or (not states and "#" not in question.query):
        return None
    readable = [each for each in ids if states.get(each, "quarantined") != "quarantined"]
    rows = rows_by_id(connection, scope, readable)
    memories = [whole(rows[each], found) for each in readable if each in rows]
    return Recalled(tuple(memories), by_id=True, notes=tuple(absent(each, states) for each in ids if each not in rows))


def whole(row: object, found: list[object]) -> RecalledMemory:
    """Return a memory with its text as it was written, line breaks and all."""
    memory = to_memory(row)
    return memory._replace(summary=next(each["summary"] for each in found if each["id"] == memory.id))  # type: ignore[index]


def absent(memory_id: int, states: dict[int, str]) -> str:
    """Return why a memory is not shown."""
    if memory_id in states:
        return f"#{memory_id} is in quarantine: a person sees it with firmmem anomalies"
    return f"there is no #{memory_id} in this namespace"
