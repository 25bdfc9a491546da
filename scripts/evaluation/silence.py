"""How often recall says that nothing is relevant: where nothing is, and where something is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from documents import table

from evaluation import inside, sets, user_stores, variants
from evaluation.measures import mean
from evaluation.report import share
from evaluation.sets import Asked, Collection

SETTINGS = (0.15, 0.2, 0.3, 0.4, 0.5)
SIZES = (5, 20, 150, 1_000)
EVERY = 3  # each so manieth question of the large sets

INTRO = """\
at five values of `FIRMMEM_SILENCE` (0.3 is the default), the share of questions that get nothing where nothing
answers them / where something does, and in brackets what the latter costs of R@10. Nothing answers another
namespace's questions. Stores of "The user ..." hold 5 to 1,000 memories that begin alike, and are asked in other
words for facts that are there and for facts that are not: of a question that shares no word with its answer, words
alone know nothing."""


def report(data: Path, folder: Path, *, model: bool) -> str:
    """Return a row a set."""
    rows = [[name, *cells(collections, questions, folder, model=model)] for name, collections, questions in pairs(data)]
    return table(("absent / present (R@10)", *(f"{setting:g}" for setting in SETTINGS)), rows)


def pairs(data: Path) -> Iterator[tuple[str, Sequence[Collection], list[list[Asked]]]]:
    """Yield each store with the questions that it answers and those that it does not."""
    english = variants.shuffled(sets.locomo(data / "locomo" / "locomo_0_4.json"))
    yield "LoCoMo, shuffled", english, both(english)
    around = variants.user_sentences(data / "longmemeval")
    yield "the same, 3 sentences around", english, both(variants.rambling(english, around, 3))
    for name, file in (("English", "lb_en.json"), ("Chinese", "lb_zh.json")):
        people = sets.lifebench(data / "lifebench" / file, data / "lifebench" / file)
        yield f"LifeBench, {name}", people, both(people)
    for chinese in (False, True):
        for size in SIZES:
            stores = user_stores.stores(size, chinese=chinese)
            name = f"The user ..., {'Chinese' if chinese else 'English'}, {size:,}"
            yield name, stores, [list(each.questions) for each in stores]


def both(collections: Sequence[Collection]) -> list[list[Asked]]:
    """Return a part of each collection's questions, and of the next one's, which nothing in it answers."""
    absent = sets.elsewhere(collections)
    return [
        [*own.questions[::EVERY], *other.questions[::EVERY]] for own, other in zip(collections, absent, strict=True)
    ]


def cells(collections: Sequence[Collection], questions: list[list[Asked]], folder: Path, *, model: bool) -> list[str]:
    told = list(inside.store(collections, folder, model=model).ask(questions))
    present, absent = ([each for each in told if bool(each.question.gold) is there] for there in (True, False))
    found = []
    for setting in SETTINGS:
        silent = [share(mean([float(each.chance < setting) for each in some])) for some in (absent, present)]
        cost = mean([each.answer.recall(10) * (each.chance < setting) for each in present])
        found.append(f"{silent[0]} / {silent[1]} ({share(cost)})")
    return found
