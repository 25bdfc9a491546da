"""Recall: what is remembered of a query, a goal, or where a session starts, best first and within a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from firmmem.contract import Question, Recalled
from firmmem.memory.recall.altered import note_altered
from firmmem.memory.recall.by_id import answer_by_id
from firmmem.memory.recall.by_query import build_reply, recall_by_query
from firmmem.memory.recall.by_score import recall_by_score
from firmmem.memory.recall.clauses import Clause, cut_clauses
from firmmem.memory.recall.company import add_company, leave_room, rules_for
from firmmem.memory.recall.contradictions import add_contradictions
from firmmem.memory.recall.elsewhere import look_elsewhere
from firmmem.memory.recall.last_time import answer_by_time
from firmmem.memory.recall.limits import USUAL, Caps
from firmmem.memory.recall.scope import Scope, normalise_question, scope_for
from firmmem.memory.recall.session_start import is_session_start, recall_session_start
from firmmem.memory.recall.without_index import rank_by_scan
from firmmem.store.search_index import is_index_error, is_searchable
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection

if TYPE_CHECKING:
    from firmmem.memory.recall.meaning import Meaning, QueryMeaning
    from firmmem.memory.recall.vectors import Nearness
    from firmmem.settings import Settings
    from firmmem.store.database import Database

DAMAGED = (
    "the search index is damaged, the memories are not: they were searched one by one, the newest only where there "
    "are very many; `firmmem doctor --repair` builds it anew"
)


async def recall(database: Database, question: Question, *, meaning: Meaning | None = None, now: float) -> Recalled:
    """Return what answers the question at `now`, and what was left out.

    Raises:
        InvalidTextError: A name in the question can't be one.
        UnavailableError: The file can't be read.
    """
    sought = await meaning.sought(question.query) if meaning and question.query else None
    found = await database.read(find, question, database.settings, sought, now=now)
    if meaning and meaning.off and question.query:
        return replace(found, notes=(*found.notes, f"found by words only: {meaning.off}"))
    return found


def find(
    connection: Connection,
    question: Question,
    settings: Settings,
    sought: QueryMeaning | None = None,
    caps: Caps = USUAL,
    *,
    now: float,
) -> Recalled:
    """Answer a question on a connection."""
    asked, question = question, normalise_question(question)
    scope, notes = scope_for(connection, question, settings, caps, now=now)
    if not question.query:
        found = answer_without_query(connection, question, scope, settings)
    elif (direct := answer_directly(connection, replace(question, limit=asked.limit), scope, settings)) is not None:
        found = direct
    else:
        found = answer_query(connection, question, scope, sought, settings)
    found = add_contradictions(connection, question, found, scope)
    found = note_altered(connection, question, found)
    if not (found.memories or found.company or scope.shelves):
        found = replace(found, elsewhere=look_elsewhere(connection, question, settings))
    return replace(found, notes=(*found.notes, *notes))


def answer_without_query(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled:
    """Return what a session starts with, or what matters now among what is asked for."""
    if is_session_start(question):
        return recall_session_start(connection, question, scope, settings)
    return recall_by_score(connection, question, scope, settings)


def answer_directly(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled | None:
    """Return the answer to a query that names ids, or a stretch of time and nothing else; None for any other."""
    by_id = answer_by_id(connection, question, scope)
    return answer_by_time(connection, question, scope, settings) if by_id is None else by_id


def answer_query(
    connection: Connection, question: Question, scope: Scope, sought: QueryMeaning | None, settings: Settings
) -> Recalled:
    """Return what matches a query, with the core facts that come along."""
    clauses = cut_clauses(question.query)
    near = sought.spaces.nearness(connection, question.namespace, sought) if sought else None
    if not near and not any(clause.terms for clause in clauses):
        return Recalled((), notes=("the query has no words to look for",))
    rules = rules_for(connection, question, scope)
    narrower = leave_room(question, rules)
    found = search(connection, narrower, scope, clauses, near, settings)
    return add_company(connection, narrower, scope, found, rules, near)


def search(
    connection: Connection,
    question: Question,
    scope: Scope,
    clauses: list[Clause],
    near: Nearness | None,
    settings: Settings,
) -> Recalled:
    """Search by the index, or without it while it is damaged."""
    if not connection.searchable:
        connection.searchable = is_searchable(connection)
    if connection.searchable:
        try:
            return recall_by_query(connection, question, scope, clauses, near, settings)
        except Error as error:
            if not is_index_error(error):
                raise
    found = build_reply(question, scope, rank_by_scan(connection, question, scope, clauses, settings), settings)
    return replace(found, notes=(*found.notes, DAMAGED))
