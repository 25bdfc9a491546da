"""Core facts that come along with the answer to a query: rules of conduct always, and what bears on it by meaning.

What a person or an agent tagged as a rule, or as what a body can't bear, travels with every answer, within
`RULES_SHARE` of the budget. With the model on, core facts near to the query come along where the budget allows.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import Question, Recalled, RecalledMemory
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.session_start import RULES, rows_by_id
from firmmem.memory.recall.token_budget import line_cost, memory_budget, to_memory
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.memory.recall.vectors import Nearness

RULES_SHARE = 1 / 8  # of the token budget
BEARING = 3  # core facts that come along by meaning, at most
NEAR = 0.30  # the cosine from which a core fact bears on a query
FAR = 0.24  # and from which one in another language does
SAFE = ("health", "allergy", "allergies", "medical", "safety", "健康", "过敏", "過敏", "医疗", "醫療", "安全", "禁忌")
WALKED = 2_000  # memories with such a tag that are looked at


def rules_for(connection: Connection, question: Question, scope: Scope) -> list[RecalledMemory]:
    """Return the core facts that travel with every answer, as many as their share has room for."""
    if not question.query or question.narrowed or not any(shelf.memories["core"] for shelf in scope.shelves):
        return []
    tags = json.dumps([*RULES, *SAFE], ensure_ascii=False)
    found = fetch(connection, "core_by_tag", shelves=scope.parameters["shelves"], tags=tags, most=WALKED)
    rows = rows_by_id(connection, scope, [row["id"] for row in found][: question.token_budget])
    return take_within(
        [rows[row["id"]] for row in found if row["id"] in rows], int(question.token_budget * RULES_SHARE)
    )


def take_within(rows: list[Any], budget: int) -> list[RecalledMemory]:
    """Return the memories of rows that fit a budget, in their order."""
    taken = []
    for row in rows:
        memory = to_memory(row)
        cost = line_cost(memory, explain=False)
        if cost <= budget:
            taken.append(memory)
            budget -= cost
    return taken


def leave_room(question: Question, rules: list[RecalledMemory]) -> Question:
    """Return the question with what the rules take off its budget."""
    spent = sum(line_cost(memory, explain=False) for memory in rules)
    return replace(question, token_budget=question.token_budget - spent) if spent else question


def add_company(
    connection: Connection,
    question: Question,
    scope: Scope,
    found: Recalled,
    rules: list[RecalledMemory],
    near: Nearness | None,
) -> Recalled:
    """Return what was found, with the core facts that come along."""
    told = {memory.id for memory in found.memories}
    company = [memory for memory in rules if memory.id not in told]
    if near and not question.narrowed:
        told |= {memory.id for memory in company}
        room = memory_budget(question) - sum(line_cost(each, explain=question.explain) for each in found.memories)
        ids = [each for each in bearing(connection, scope, near) if each not in told][:BEARING]
        rows = rows_by_id(connection, scope, ids)
        company += take_within([rows[each] for each in ids if each in rows], room)
    return replace(found, company=tuple(company), core=max(0, found.core - len(company))) if company else found


def bearing(connection: Connection, scope: Scope, near: Nearness) -> list[int]:
    """Return the core facts whose meaning is near to a clause of the query, nearest first."""
    core = fetch(connection, "core_ids", shelves=scope.parameters["shelves"], most=WALKED)
    best: dict[int, float] = {}
    for row in core:
        for clause in range(len(near.spoken)):
            cosine, foreign = near.of(row["id"], clause)
            if cosine is not None and cosine >= (FAR if foreign else NEAR):
                best[row["id"]] = max(best.get(row["id"], 0.0), cosine + foreign * (NEAR - FAR))
    return sorted(best, key=best.__getitem__, reverse=True)
