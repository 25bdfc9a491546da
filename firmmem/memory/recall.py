"""Recall: what is remembered of a query, a goal, or where a session starts, best first and within a budget."""

from dataclasses import replace

from firmmem.contract import Question, Recalled
from firmmem.database import Connection, Database
from firmmem.memory.disclose import by_score
from firmmem.memory.meaning import Meaning, Sought
from firmmem.memory.place import as_stored, placed
from firmmem.memory.search import by_query
from firmmem.settings import Settings
from firmmem.words import query_terms


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
    connection: Connection, question: Question, settings: Settings, sought: Sought | None = None, *, now: float
) -> Recalled:
    """Answer a question on a connection."""
    question = as_stored(question)
    place, notes = placed(connection, question, settings, now=now)
    terms = query_terms(question.query) if question.query else []
    near = None
    if sought:
        near = sought.spaces.nearness(connection, question.namespace, sought.vector, sought.spoken)
    if terms or near:
        found = by_query(connection, question, place, terms, near, settings)
    elif question.query:
        found = Recalled((), notes=("the query has no words to look for",))
    else:
        found = by_score(connection, question, place, settings)
    return replace(found, notes=(*found.notes, *notes))
