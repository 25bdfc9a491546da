"""How often a store would speak falsely: prompts about other things, and which of them would be given memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.contract import Author
from firmmem.hook.give import choose_for_prompt
from firmmem.store.statements import Connection

if TYPE_CHECKING:
    from firmmem.settings import Settings

OTHER_PROMPTS = tuple(Path(__file__).with_name("other_prompts.txt").read_text(encoding="utf-8").splitlines())


def false_answers(
    connection: Connection, namespace: str, settings: Settings, *, now: float
) -> list[tuple[str, list[int]]]:
    """Return the prompts that would be given memories, each with their ids, core facts apart: those are no answer."""
    nobody = Author("", "")
    found = []
    for prompt in OTHER_PROMPTS:
        chosen = choose_for_prompt(connection, namespace, nobody, prompt, frozenset(), settings, now=now)
        ids = [choice.memory.id for choice in chosen.given]
        if ids:
            found.append((prompt, ids))
    return found
