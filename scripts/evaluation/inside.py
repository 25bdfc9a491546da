"""Asking in this process, one question after the other of one file: for figures that need thousands of answers."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import anyio

from evaluation import asking, tool
from evaluation.measures import Answer
from evaluation.sets import Asked, Collection
from firmmem.contract import Question
from firmmem.memory.recall.meaning import Meaning, QueryMeaning, build_meaning
from firmmem.memory.recall.recall import find
from firmmem.settings import Settings
from firmmem.store.opening import open_connection


@dataclass(frozen=True)
class Told:
    """An answer without the floor, and the chance that it answers."""

    question: Asked
    answer: Answer
    chance: float


@dataclass
class Store:
    """A written set, and the meaning of what is asked of it."""

    collections: Sequence[Collection]
    ids: tool.Ids
    settings: Settings
    meaning: Meaning | None = None

    def ask(self, questions: Sequence[Sequence[Asked]]) -> Iterator[Told]:
        """Ask each collection its questions a day after its last item, without the floor."""
        with closing(open_connection(self.settings, writes=False)) as connection:
            for collection, asked in zip(self.collections, questions, strict=True):
                for question in asked:
                    recalled = find(
                        connection,
                        Question(collection.name, question.text),
                        self.settings,
                        self.meaning_of(question.text),
                        now=collection.ends_at,
                    )
                    order = {memory.id: rank for rank, memory in enumerate(recalled.memories, 1)}
                    gold = [self.ids[collection.name][position] for position in question.gold]
                    ranks = tuple(order[memory] for memory in gold if memory in order)
                    yield Told(question, Answer(question.category, ranks, len(gold), len(order)), recalled.chance)

    def meaning_of(self, text: str) -> QueryMeaning | None:
        return anyio.run(self.meaning.sought, text) if self.meaning else None


def store(collections: Sequence[Collection], folder: Path, *, model: bool) -> Store:
    """Write a set, unless the folder has it, and return it with no floor."""
    ids, settings = asking.written(collections, folder)
    settings = settings.model_copy(update={"silence": 0.0})
    if not model:
        return Store(collections, ids, settings)
    anyio.run(tool.embed_with_progress, settings)
    return Store(collections, ids, settings, build_meaning(settings.model_copy(update={"semantic_rerank": True})))
