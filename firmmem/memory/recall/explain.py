"""Explain: every factor of one memory's score at a moment, so that the product can be checked by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import Question, RecalledMemory
from firmmem.errors import InvalidArgumentError
from firmmem.memory.recall.by_query import rank
from firmmem.memory.recall.by_score import top_of_tier
from firmmem.memory.recall.clauses import cut_clauses
from firmmem.memory.recall.meaning import QueryMeaning
from firmmem.memory.recall.scope import Scope, normalise_question, scope_for
from firmmem.memory.recall.token_budget import to_memory
from firmmem.memory.rows.ranking_keys import wanted_keying
from firmmem.memory.trust.votes import list_votes
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

DEEP = 10_000  # places of a query's answer that are looked through
FIRST = 100  # places of a tier that are looked through without a query


@dataclass(frozen=True)
class Explanation:
    """A memory with its factors, and what they are made of."""

    memory: RecalledMemory
    base_half_life: float  # days
    half_life: float  # effective, by the settings
    consolidation_base: float
    prior_strength: float  # 1 without a query: the plain product
    other_goal: float
    query: str
    goal: str  # asked about
    initial_trust: float
    votes: int  # that count
    rank: int  # from 1 in the answer to the query, or else in its tier; 0: further down than was looked
    looked: int  # places looked through


def explain_score(
    connection: Connection,
    memory_id: int,
    question: Question,
    settings: Settings,
    sought: QueryMeaning | None = None,
    *,
    now: float,
) -> Explanation:
    """Explain the score that a memory has for a question at `now`, as it is stored today.

    Raises:
        InvalidArgumentError: There is no such memory in the question's namespace.
    """
    question = normalise_question(question)
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=question.namespace)
    if not rows:
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {question.namespace!r}.")
    row = rows[0]
    away = row["state"] != "active"
    question = replace(question, branch=row["branch"], include_archived=away, limit=DEEP if question.query else FIRST)
    scope, _ = scope_for(connection, question, settings, now=now)
    answer = answer_rows(connection, question, scope, row["tier"], settings, sought)
    rank = next((number for number, each in enumerate(answer, 1) if each["id"] == memory_id), 0)
    memory = to_memory(answer[rank - 1] if rank else row_outside_answer(connection, row, question, scope, settings))
    base = wanted_keying(settings).base(row["tier"])
    return Explanation(
        memory,
        base,
        scoring.effective_half_life(base, memory.consolidation, memory.recall_count, settings.consolidation_base),
        settings.consolidation_base,
        settings.prior_strength if question.query else 1.0,
        settings.other_goal,
        question.query,
        question.goal_id,
        row["initial_trust"],
        sum(vote["counts"] for vote in list_votes(connection, memory_id)),
        rank,
        len(answer),
    )


def answer_rows(
    connection: Connection, question: Question, scope: Scope, tier: Any, settings: Settings, sought: QueryMeaning | None
) -> list[Any]:
    """Return the rows that answer the question, best first: for a query all of them, else those of one tier."""
    if not question.query:
        return top_of_tier(connection, question, scope, tier, FIRST, settings)
    near = sought.spaces.nearness(connection, question.namespace, sought) if sought else None
    return rank(connection, question, scope, cut_clauses(question.query), near, settings).rows


def row_outside_answer(connection: Connection, row: Any, question: Question, scope: Scope, settings: Settings) -> Any:
    """Return the row of a memory that is not in the answer: what does not match a query has no relevance."""
    [found] = fetch(
        connection,
        "recall",
        "candidate_by_id",
        **scope.parameters,
        id=row["id"],
        relevance=0.0 if question.query else 1.0,
        prior_strength=settings.prior_strength if question.query else 1.0,
    )
    return found
