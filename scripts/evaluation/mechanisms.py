"""What each mechanism of recall gains: every set asked with it and without it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from documents import table

from evaluation import inside, sets, variants
from evaluation.measures import Answer, difference, mean
from evaluation.report import interval, share
from evaluation.sets import Collection
from firmmem import scoring
from firmmem.memory.recall import clauses, meaning, query_terms, recall

EVERY = 2  # each so manieth question

INTRO = """\
R@10 with all of them and without the floor, and what of it each adds (95 %, paired bootstrap): *clauses*, a prompt cut
into them; *resemblance*, words shared with the best matches; *context*, what was written just before and after; *sure
commonness*, words that are common in a small store."""


@contextmanager
def without_clauses() -> Iterator[None]:
    """Ask every prompt as one text."""
    with ExitStack() as stack:
        for module in (recall, meaning):
            stack.enter_context(patch.object(module, "cut_clauses", lambda query: [clauses.read_clause(query)]))
        yield


MECHANISMS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "clauses": without_clauses,
    "resemblance": lambda: patch.object(scoring, "RESEMBLANCE", 0.0),
    "context": lambda: patch.object(scoring, "CONTEXT_MOST", 0.0),
    "sure commonness": lambda: patch.object(query_terms, "CHANCE", 1e9),
}


def report(data: Path, folder: Path, *, model: bool) -> str:
    """Return a row a set."""
    rows = [
        [name, *cells(collections, folder, model=model, capped=capped)] for name, collections, capped in pairs(data)
    ]
    return table(("R@10", "all", *MECHANISMS), rows)


def pairs(data: Path) -> Iterator[tuple[str, Sequence[Collection], bool]]:
    """Yield the sets, and whether R@k divides by min(k, |gold|)."""
    chat = sets.locomo(data / "locomo" / "locomo_0_4.json")
    yield "LoCoMo, chat", chat, False
    scattered = variants.shuffled(chat)
    yield "LoCoMo, shuffled", scattered, False
    yield (
        "LoCoMo, shuffled, 3 sentences",
        variants.rambling(scattered, variants.user_sentences(data / "longmemeval"), 3),
        False,
    )
    yield "LoCoMo, interleaved", variants.interleaved(chat), False
    for name, file in (("English", "lb_en.json"), ("Chinese", "lb_zh.json")):
        yield f"LifeBench, {name}", sets.lifebench(data / "lifebench" / file, data / "lifebench" / file), True


def cells(collections: Sequence[Collection], folder: Path, *, model: bool, capped: bool) -> list[str]:
    asked = [each.questions[::EVERY] for each in collections]
    store = inside.store(collections, folder, model=model)

    def answers() -> list[Answer]:
        return [each.answer for each in store.ask(asked)]

    def found(answer: Answer) -> float:
        return answer.recall(10, capped=capped)

    whole = answers()
    cells = [share(mean([found(each) for each in whole]))]
    for without in MECHANISMS.values():
        with without():
            cells.append(interval(difference(whole, answers(), found)))
    return cells
