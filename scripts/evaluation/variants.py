"""The forms a set is measured in besides its own: as an agent's notes are, and as prompts are.

LoCoMo is a chat written turn by turn, and its questions are bare. An agent's notes are scattered, two projects are
noted in turns, and a prompt says other things before it asks.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from evaluation.sets import DAY, Asked, Collection, Item

SEED = 2018
INTERLEAVED_SECONDS = 60.0  # between neighbouring memories of two interleaved conversations
SENTENCE = (5, 30)  # words of a sentence that is put around a question


def apart(collections: Sequence[Collection]) -> list[Collection]:
    """Return the same items in the same order, each a day after the one before."""
    return [with_items(each, spread(each.items)) for each in collections]


def shuffled(collections: Sequence[Collection]) -> list[Collection]:
    """Return the same items in an order by chance, each a day after the one before; their texts name their dates."""
    return [shuffle(each, random.Random(SEED)) for each in collections]  # noqa: S311 - the same order at every run


def shuffle(collection: Collection, chance: random.Random) -> Collection:
    order = list(range(len(collection.items)))
    chance.shuffle(order)
    places = {position: place for place, position in enumerate(order)}
    items = spread([collection.items[position] for position in order])
    questions = (replace(each, gold=frozenset(places[at] for at in each.gold)) for each in collection.questions)
    return replace(collection, items=tuple(items), questions=tuple(questions))


def spread(items: Sequence[Item]) -> list[Item]:
    """Return the items a day apart, the last of them at the last date."""
    last = max(item.at for item in items)
    return [replace(item, at=last - DAY * (len(items) - 1 - place)) for place, item in enumerate(items)]


def with_items(collection: Collection, items: Iterable[Item]) -> Collection:
    return replace(collection, items=tuple(items))


def interleaved(collections: Sequence[Collection]) -> list[Collection]:
    """Return every two collections in one namespace, written turn about within minutes, each asked its own."""
    return [interleave(*pair) for pair in pairwise(collections)]


def interleave(first: Collection, second: Collection) -> Collection:
    order = sorted(
        [(place / len(each.items), side, place) for side, each in enumerate((first, second)) for place in
         range(len(each.items))]
    )  # fmt: skip
    places = {(side, place): position for position, (_, side, place) in enumerate(order)}
    both = (first, second)
    end = max(each.ends_at for each in both) - DAY
    items = [
        replace(both[side].items[place], at=end - INTERLEAVED_SECONDS * (len(order) - 1 - position))
        for position, (_, side, place) in enumerate(order)
    ]
    questions = [
        replace(asked, gold=frozenset(places[side, place] for place in asked.gold))
        for side, each in enumerate(both)
        for asked in each.questions
    ]
    return Collection(f"{first.name} and {second.name}", tuple(items), tuple(questions))


def rambling(collections: Sequence[Collection], sentences: Sequence[str], count: int) -> list[Collection]:
    """Return the same stores, each question with `count` unrelated sentences before, after or around it."""
    chance = random.Random(SEED + count)  # noqa: S311 - the same prompts at every run
    ask: Callable[[Asked], Asked] = lambda each: replace(each, text=ramble(each.text, sentences, count, chance))  # noqa: E731
    return [replace(each, questions=tuple(map(ask, each.questions))) for each in collections]


def ramble(question: str, sentences: Sequence[str], count: int, chance: random.Random) -> str:
    around = chance.sample(sentences, count)
    before = chance.choice((count, 0, (count + 1) // 2))
    parts = [*around[:before], question, *around[before:]]
    return ("" if chinese(question) else " ").join(parts)


def chinese(text: str) -> bool:
    return any("\u3400" <= character <= "\u9fff" for character in text)


def renamed(collections: Sequence[Collection], note: str) -> list[Collection]:
    """Return the collections under other names, so that two forms of a set can be in one store."""
    return [replace(each, name=f"{each.name} {note}") for each in collections]
