"""What stands against what is told: memories that can't both be right come back together, marked and dated."""

import json
from dataclasses import replace

from firmmem.contract import Opposed, Question, Recalled
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import LINE_TOKENS, line_cost, memory_budget
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import estimate_tokens, to_one_line

MARKED = 3  # opponents of one memory that are named
QUOTED = 160  # characters of one that is not told itself


def add_contradictions(connection: Connection, question: Question, found: Recalled, scope: Scope) -> Recalled:
    """Return what was found, with what stands against it, which is quoted where it is not told itself and has room."""
    if not found.memories:
        return found
    ids = json.dumps([memory.id for memory in found.memories])
    core = json.dumps([memory.id for memory in found.memories if memory.tier == "core"])
    if core != "[]":
        proposed = {row["id"]: row["proposal"] for row in fetch(connection, "proposed_changes", ids=core)}
        found = replace(found, proposed=proposed)
    rows = fetch(connection, "opposing", ids=ids, shelves=scope.parameters["shelves"])
    if not rows:
        return found
    by_memory: dict[int, list[Opposed]] = {}
    told = {memory.id for memory in found.memories}
    room = memory_budget(question) - sum(line_cost(memory, explain=question.explain) for memory in found.memories)
    quoted: dict[int, Opposed] = {}
    for row in rows:
        opponents = by_memory.setdefault(row["id"], [])
        if len(opponents) == MARKED:
            continue
        text = to_one_line(row["summary"])[:QUOTED]
        opponent = Opposed(row["other"], row["tier"], row["created_at"], text, sure=bool(row["sure"]))
        opponents.append(opponent)
        price = LINE_TOKENS + estimate_tokens(text)
        if opponent.id not in told and opponent.id not in quoted and price <= room:
            quoted[opponent.id] = opponent
            room -= price
    return replace(
        found,
        opposed={memory: tuple(opponents) for memory, opponents in by_memory.items()},
        opponents=tuple(quoted.values()),
    )
