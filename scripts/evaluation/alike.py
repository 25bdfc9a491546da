"""Like texts: whether the write of an altered text tells of its original, as a duplicate or as a contradiction.

Each set lies in a namespace of one store. A text altered is written by the product's own code, in a transaction that
is taken back. The original counts as found if the reply names it.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import documents
from tqdm import tqdm

from evaluation.sets import Collection
from firmmem.contract import Author, NewMemory
from firmmem.errors import FirmMemError
from firmmem.memory.write.write import store_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

WRITER = Author("evaluate", "evaluate")
SEED = 7
SAMPLE = 300  # texts of each set that are altered
VERB = re.compile(r"\b(is|was|are|were|has|have|will|can)\b")


class TakenBackError(Exception):
    """Ends a transaction that is to leave nothing."""


@dataclass(frozen=True)
class Found:
    """How many altered texts there were, and of how many the original was named."""

    altered: int
    found: int

    @property
    def share(self) -> float:
        return self.found / max(1, self.altered)


def another_number(text: str, chance: random.Random) -> str:
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return text
    number = chance.choice(numbers)
    return f"{text[: number.start()]}{int(number[0][:9]) + chance.randint(1, 9)}{text[number.end() :]}"


def denied(text: str, _: random.Random) -> str:
    if "是" in text:
        return text.replace("是", "不是", 1)
    return VERB.sub(r"\1 not", text, count=1)


def a_word_less(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    if len(words) < 8:  # Chinese, or too short to be nearly the same
        place = chance.randrange(len(text) - 1)
        return text[:place] + text[place + 2 :] if len(text) > 30 else text
    del words[chance.randrange(len(words))]
    return " ".join(words)


ALTERED: Mapping[str, Callable[[str, random.Random], str]] = {
    "another number": another_number,
    "denied": denied,
    "a word less": a_word_less,
}


def measured(
    sets: Mapping[str, Sequence[Collection]], folder: Path, sample: int = SAMPLE
) -> dict[tuple[str, str], Found]:
    """Return what was found of each set and each way to alter a text."""
    settings = Settings.model_construct(db=folder / "alike.db", summary_cap=10**6)
    connection = open_connection(settings)
    try:
        texts = {name: tuple(written(connection, name, each, settings)) for name, each in sets.items()}
        return {
            (name, way): found(connection, name, pairs, ALTERED[way], settings, sample)
            for name, pairs in texts.items()
            for way in ALTERED
        }
    finally:
        connection.close()


def written(
    connection: Connection, name: str, collections: Sequence[Collection], settings: Settings
) -> Iterable[tuple[str, int]]:
    """Write a set's texts into the namespace of its name; yield each and its id."""
    texts = dict.fromkeys(item.text for each in collections for item in each.items)
    with transaction(connection):
        for now, text in enumerate(tqdm(texts, desc=f"write {name}", unit=" memories")):
            with suppress(FirmMemError):
                result = store_memory(connection, NewMemory(text, "draft", name), WRITER, settings, now=float(now))
                yield text, result.id


def found(
    connection: Connection,
    name: str,
    pairs: Sequence[tuple[str, int]],
    alter: Callable[[str, random.Random], str],
    settings: Settings,
    sample: int,
) -> Found:
    chance = random.Random(SEED)  # noqa: S311 - the same every time
    chosen = [(alter(text, chance), text, id_) for text, id_ in chance.sample(pairs, min(len(pairs), 4 * sample))]
    cases = [(changed, id_) for changed, text, id_ in chosen if changed != text][:sample]
    named = [named_by_write(connection, name, changed, settings) for changed, _ in cases]
    return Found(len(cases), sum(id_ in ids for ids, (_, id_) in zip(named, cases, strict=True)))


def named_by_write(connection: Connection, name: str, text: str, settings: Settings) -> set[int]:
    """Return the ids that the write of a text names; nothing of it stays."""
    ids: set[int] = set()
    with suppress(TakenBackError), transaction(connection):
        result = store_memory(connection, NewMemory(text, "draft", name), WRITER, settings, now=1e9)
        ids = {result.id} if result.status == "known" else {each.id for each in (*result.similar, *result.conflicting)}
        raise TakenBackError
    return ids


def table(found: Mapping[tuple[str, str], Found]) -> str:
    names = dict.fromkeys(name for name, _ in found)
    rows = [
        [name, *(f"{found[name, way].share:.1%} of {found[name, way].altered}" for way in ALTERED)] for name in names
    ]
    return documents.table(["the original is named", *ALTERED], rows)
