"""Recall: what is remembered of a query, a goal, or where a session starts, best first and within a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from firmmem.contract import Question, Recalled
from firmmem.memory.recall.by_query import answer, by_query
from firmmem.memory.recall.by_score import by_score
from firmmem.memory.recall.contradictions import opposed
from firmmem.memory.recall.limits import USUAL, Caps
from firmmem.memory.recall.scope import Place, as_stored, placed
from firmmem.memory.recall.without_index import scanned
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.search_index import of_search_index, searchable
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection
from firmmem.text.search_words import query_terms

if TYPE_CHECKING:
    from firmmem.memory.recall.meaning import Meaning, Sought
    from firmmem.memory.recall.vectors import Nearness

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
    sought: Sought | None = None,
    caps: Caps = USUAL,
    *,
    now: float,
) -> Recalled:
    """Answer a question on a connection."""
    question = as_stored(question)
    place, notes = placed(connection, question, settings, caps, now=now)
    terms = query_terms(question.query) if question.query else []
    near = None
    if sought:
        near = sought.spaces.nearness(connection, question.namespace, sought.vector, sought.spoken)
    if terms or near:
        found = searched(connection, question, place, terms, near, settings)
    elif question.query:
        found = Recalled((), notes=("the query has no words to look for",))
    else:
        found = by_score(connection, question, place, settings)
    found = opposed(connection, question, found, place)
    return replace(found, notes=(*found.notes, *notes))


def searched(
    connection: Connection,
    question: Question,
    place: Place,
    terms: list[str],
    near: Nearness | None,
    settings: Settings,
) -> Recalled:
    """Search by the index, or without it while it is damaged."""
    if not connection.searchable:
        connection.searchable = searchable(connection)
    if connection.searchable:
        try:
            return by_query(connection, question, place, terms, near, settings)
        except Error as error:
            if not of_search_index(error):
                raise
    found = answer(question, place, terms, scanned(connection, question, place, terms, settings), with_model=False)
    return replace(found, notes=(*found.notes, DAMAGED))
