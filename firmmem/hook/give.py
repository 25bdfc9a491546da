"""What is put before an agent: chosen from a recall, without what is suspect and what it was given already."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from firmmem.contract import Author, Question, RecalledMemory
from firmmem.hook.fence import fence
from firmmem.memory.life.injections import Choice
from firmmem.store.statements import Connection
from firmmem.text.normal_form import count_memories, estimate_tokens, to_one_line

if TYPE_CHECKING:
    from firmmem.settings import Settings

MOST = 6  # memories for one prompt


@dataclass(frozen=True)
class Chosen:
    """What a recall found for an event within `budget` tokens, by the `gate` that decided whether it answers."""

    budget: int
    gate: float
    strength: float = 1.0
    choices: tuple[Choice, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def given(self) -> list[Choice]:
        """What reaches the agent."""
        return [choice for choice in self.choices if not choice.reason]

    @property
    def tokens(self) -> int:
        """About how many tokens the agent reads of memories."""
        return sum(choice.tokens for choice in self.given)

    def text(self, closing: str = "") -> str:
        """Return the fenced lines and what is said after them."""
        return fence(self.lines, closing)

    def message(self) -> str:
        """Return the one line that the person sees."""
        return f"FirmMem: {count_memories(len(self.given))}, {self.tokens} tokens"


def choose_for_start(
    connection: Connection,
    namespace: str,
    author: Author,
    known: AbstractSet[int],
    settings: Settings,
    *,
    now: float,
) -> Chosen:
    """Return what a session starts with, as a recall without a query gives it."""
    from firmmem.memory.recall.recall import find

    question = Question(namespace, token_budget=max(50, settings.hook_tokens), author=author)
    result = find(connection, question, settings, now=now)
    return choose(result.memories, known, Chosen(settings.hook_tokens, 0.0))


def choose_for_prompt(
    connection: Connection,
    namespace: str,
    author: Author,
    prompt: str,
    known: AbstractSet[int],
    settings: Settings,
    *,
    now: float,
) -> Chosen:
    """Return what bears on a prompt, nothing where no memory answers it with the chance that the gate asks for."""
    from firmmem.hook.gate import asks_for_memory, gate_for

    budget, gate = settings.hook_prompt_tokens, gate_for(prompt, settings.hook_silence)
    if not asks_for_memory(prompt):
        return Chosen(budget, gate)
    from firmmem.memory.recall.recall import find  # for most prompts nothing is looked up

    question = Question(namespace, query=prompt, limit=MOST, token_budget=max(50, budget), author=author)
    result = find(connection, question, stricter(settings, gate), now=now)
    chosen = Chosen(budget, gate, settings.prior_strength)
    return choose(result.memories if result.relevant else (), known, chosen)


def stricter(settings: Settings, gate: float) -> Settings:
    """Return the settings of a recall that nobody asked for: its gate is a hook's."""
    from types import SimpleNamespace
    from typing import cast

    return cast("Settings", SimpleNamespace(**{**vars(settings), "silence": gate}))


def choose(memories: Iterable[RecalledMemory], known: AbstractSet[int], empty: Chosen) -> Chosen:
    """Return which memories are given, in their order, core facts first."""
    choices: list[Choice] = []
    lines: list[str] = []
    room = empty.budget
    for memory in sorted(memories, key=lambda each: each.tier != "core"):
        line = memory_text(memory)
        tokens = estimate_tokens(line)
        reason = obstacle(memory, known, tokens, room)
        if not reason:
            room -= tokens
            lines.append(line)
        choices.append(Choice(memory, reason, tokens))
    return replace(empty, choices=tuple(choices), lines=tuple(lines))


def obstacle(memory: RecalledMemory, known: AbstractSet[int], tokens: int, room: int) -> str:
    """Return why a memory is not given, '' where it is."""
    if memory.suspect:
        return "reads like an instruction"
    if memory.id in known:
        return "given in this session already"
    return "" if tokens <= room else "no room in the budget"


def memory_text(memory: RecalledMemory) -> str:
    """Return a memory on one line: id, tier, date, text, and what is contested about it."""
    from firmmem.dates.moments import format_day

    return f"#{memory.id} {memory.tier} {format_day(memory.created_at)}: {to_one_line(memory.summary)}"
