"""`firmmem recall`: what an agent would be told, told to a person, without a trace in the file."""

import time
from dataclasses import replace

import anyio

from firmmem.cli.core import open_for_reading
from firmmem.contract import Question
from firmmem.memory.recall.meaning import build_meaning
from firmmem.memory.recall.recall import find
from firmmem.render import replies
from firmmem.settings import Settings

TOKENS = 20_000  # a person reads what they asked for, whatever it costs a model


def recall_for_person(
    settings: Settings, namespace: str, query: str, *, limit: int, explain: bool, archived: bool, goal: str
) -> str:
    """Return the answer to a query, or what matters now; a file that does not exist is not made."""
    if not settings.db.exists():
        return f"Nothing is remembered here yet: {settings.db} does not exist."
    question = Question(
        namespace,
        query=query.strip(),
        goal_id=goal,
        limit=limit,
        token_budget=TOKENS,
        include_archived=archived,
        explain=explain,
    )
    now = time.time()
    meaning = build_meaning(settings) if question.query else None
    sought = anyio.run(meaning.sought, question.query) if meaning else None
    with open_for_reading(settings) as connection:
        result = find(connection, question, settings, sought, now=now)
    if meaning and meaning.off:
        result = replace(result, notes=(*result.notes, f"found by words only: {meaning.off}"))
    return replies.render_recalled(result, question, prior_strength=settings.prior_strength, now=now)
