"""Where a recall looks: the shelves a question names, and what every statement of it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import AUTOMATIC, Question
from firmmem.memory.recall.limits import USUAL, Caps
from firmmem.memory.rows.shelves import Shelf, find_goal, list_shelves, normalise_label
from firmmem.store.statements import Connection
from firmmem.text.normal_form import normal_form

if TYPE_CHECKING:
    from firmmem.settings import Settings

MATCHES = 10  # of a query whose caller names no limit
OPEN = ("active",)
CLOSED = ("active", "archived", "superseded")


def normalise_question(question: Question) -> Question:
    """Return the question with its names as memories have them, and a limit where it has a query."""
    return replace(
        question,
        limit=question.limit or (MATCHES if question.query else AUTOMATIC),
        namespace=normalise_label(question.namespace),
        branch=normalise_label(question.branch),
        goal_id=normalise_label(question.goal_id),
        tags=tuple(normal_form(normalise_label(tag)) for tag in question.tags if tag.strip()),
    )


@dataclass(frozen=True)
class Scope:
    """Where a recall looks, and the statement parameters that all its ways of looking share."""

    shelves: list[Shelf]
    goal: int
    parameters: dict[str, Any]
    narrowed: bool  # tags, tiers or dates decide what is found there
    caps: Caps

    @property
    def size(self) -> int:
        """How many memories lie there."""
        return sum(shelf.size for shelf in self.shelves)


def scope_for(
    connection: Connection, question: Question, settings: Settings, caps: Caps = USUAL, *, now: float
) -> tuple[Scope, tuple[str, ...]]:
    """Return where to look, and what is to be said of the goal asked about."""
    branches = ["", question.branch] if question.branch else [""]
    found = list_shelves(connection, question.namespace, CLOSED if question.include_archived else OPEN, branches)
    goal = find_goal(connection, question.namespace, question.goal_id) if question.goal_id else None
    asked = goal["id"] if goal else -1 if question.goal_id else 0
    parameters: dict[str, Any] = {
        "shelves": json.dumps([shelf.id for shelf in found if shelf.size]),
        "tiers": json.dumps(question.tiers),
        "tags": json.dumps(question.tags, ensure_ascii=False),
        "since": question.since,
        "until": question.until,
        "goal": asked,
        "other_goal": settings.other_goal,
        "now": now,
        "limit": question.limit,
    }
    scope = Scope([shelf for shelf in found if shelf.size], asked, parameters, question.narrowed, caps)
    return scope, (*goal_notes(question, goal), *branch_notes(question, found))


def branch_notes(question: Question, found: list[Shelf]) -> tuple[str, ...]:
    """Return what is to be said of the branch asked about."""
    if question.branch and not any(shelf.branch == question.branch and shelf.size for shelf in found):
        return (f"no branch {question.branch!r} holds memories",)
    return ()


def goal_notes(question: Question, goal: Any) -> tuple[str, ...]:
    """Return what is to be said of the goal asked about."""
    if question.goal_id and goal is None:
        return (f"no memory serves a goal {question.goal_id!r}",)
    if goal is not None and goal["closed_at"] is not None and not question.include_archived:
        return (f"goal {question.goal_id!r} is closed; include_archived=true shows its memories",)
    return ()
