"""What fits a recall's token budget, and what is left out."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from firmmem.contract import Question, RecalledMemory
from firmmem.text.normal_form import estimate_tokens, to_one_line

FRAME_TOKENS = 60  # what the lines round the memories cost
LINE_TOKENS = 20  # what a line costs beside the words it shows
WARNING_TOKENS = 12  # and the mark of a text that reads like an instruction
EXPLAINED_TOKENS = 64  # and the line that explains its score
LEAST_TOKENS = 30  # of a memory that is told whatever the budget
TAGS = RecalledMemory._fields.index("tags")
SUMMARY = RecalledMemory._fields.index("summary")
COLUMNS = len(RecalledMemory._fields)


def memory_budget(question: Question) -> int:
    """Return how many tokens of the budget the memories may take."""
    return max(LEAST_TOKENS, question.token_budget - FRAME_TOKENS)


@dataclass
class BudgetedReply:
    """The memories that fit a budget in tokens, in order; the first is told in any case, cut if need be."""

    budget: int
    explain: bool
    memories: list[RecalledMemory] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def take(self, rows: Iterable[Any]) -> bool:
        """Tell rows of recall.sql until one no longer fits, and return whether all did."""
        for row in rows:
            memory = to_memory(row)
            tokens = line_cost(memory, explain=self.explain)
            if tokens > self.budget and not self.memories:
                memory = cut_to_budget(memory, self.budget, explain=self.explain)
                tokens = line_cost(memory, explain=self.explain)
                self.notes = (f"#{memory.id} is cut to the token_budget",)
            elif tokens > self.budget or self.left_out:
                self.left_out[memory.tier] = self.left_out.get(memory.tier, 0) + 1
                continue
            self.budget -= tokens
            self.memories.append(memory)
        return not self.left_out


def line_cost(memory: RecalledMemory, *, explain: bool) -> int:
    """Return what a memory's line costs in tokens."""
    words = estimate_tokens(" ".join([memory.summary, memory.goal, memory.branch, memory.subject, *memory.tags]))
    return LINE_TOKENS + words + WARNING_TOKENS * memory.suspect + EXPLAINED_TOKENS * explain


def cut_to_budget(memory: RecalledMemory, budget: int, *, explain: bool) -> RecalledMemory:
    """Return a memory with as much of its text as the budget has room for, and without its tags."""
    bare = memory._replace(tags=(), summary="")
    room = max(LEAST_TOKENS, budget - line_cost(bare, explain=explain))
    text = memory.summary[: 4 * room]
    while (excess := estimate_tokens(text) - room) > 0:
        text = text[:-excess]  # a character is a token at most
    return bare._replace(summary=text if text == memory.summary else f"{text}…")


def to_memory(row: Any) -> RecalledMemory:
    """Return a row of recall.sql as a value."""
    values = list(row[:COLUMNS])
    values[TAGS] = tuple(json.loads(values[TAGS])) if values[TAGS] != "[]" else ()
    values[SUMMARY] = to_one_line(values[SUMMARY])
    return RecalledMemory(*values)
