"""What fits a recall's token budget, and what is left out."""

import json
from dataclasses import replace
from typing import Any

from firmmem.contract import Question, RecalledMemory
from firmmem.text import one_line, tokens

FRAME_TOKENS = 60  # what the lines round the memories cost
LINE_TOKENS = 20  # what a line costs beside the words it shows
WARNING_TOKENS = 12  # and the mark of a text that reads like an instruction
EXPLAINED_TOKENS = 64  # and the line that explains its score
LEAST_TOKENS = 30  # of a memory that is told whatever the budget
SAME = (
    *("id", "tier", "state", "branch", "subject", "source", "created_at", "reviewed_at", "recall_count"),
    *("consolidation", "importance", "strength", "half_life", "decay", "rfm", "trust", "alignment", "relevance"),
    *("words_relevance", "meaning", "score"),
)  # columns of recall.sql that RecalledMemory takes as they are


def room_of(question: Question) -> int:
    """Return how many tokens of the budget the memories may take."""
    return max(LEAST_TOKENS, question.token_budget - FRAME_TOKENS)


def within(
    rows: list[Any], budget: int, *, explain: bool, first: bool = True
) -> tuple[list[RecalledMemory], dict[str, int], tuple[str, ...]]:
    """Return the rows that fit the budget, in order, how many of each tier did not, and a note.

    The first is told whatever the budget, cut to it if need be.
    """
    told: list[RecalledMemory] = []
    left_out: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    for row in rows:
        memory = recalled(row)
        if first and not told and cost(memory, explain=explain) > budget:
            memory = cut(memory, budget, explain=explain)
            notes = (f"#{memory.id} is cut to the token_budget",)
        budget -= cost(memory, explain=explain)
        if left_out or (budget < 0 and not (first and not told)):
            left_out[memory.tier] = left_out.get(memory.tier, 0) + 1
        else:
            told.append(memory)
    return told, left_out, notes


def cost(memory: RecalledMemory, *, explain: bool) -> int:
    """Return what a memory's line costs in tokens."""
    words = tokens(" ".join([memory.summary, memory.goal, memory.branch, *memory.tags]))
    return LINE_TOKENS + words + WARNING_TOKENS * memory.suspect + EXPLAINED_TOKENS * explain


def cut(memory: RecalledMemory, budget: int, *, explain: bool) -> RecalledMemory:
    """Return a memory with as much of its text as the budget has room for, and without its tags."""
    bare = replace(memory, tags=(), summary="")
    room = max(LEAST_TOKENS, budget - cost(bare, explain=explain))
    text = memory.summary[: 4 * room]
    while (excess := tokens(text) - room) > 0:
        text = text[:-excess]  # a character is a token at most
    return replace(bare, summary=text if text == memory.summary else f"{text}…")


def recalled(row: Any) -> RecalledMemory:
    """Return a row of recall.sql as a value."""
    return RecalledMemory(
        **{name: row[name] for name in SAME},
        goal=row["goal_name"],
        summary=one_line(row["summary"]),
        tags=tuple(json.loads(row["tags"])),
        suspect=bool(row["suspect"]),
        superseded_by=row["superseded_by"] or 0,
    )
