"""The forms a set is measured in besides its own: as an agent's notes are, and as prompts are.

LoCoMo is a chat written turn by turn, and its questions are bare. An agent's notes are scattered, two projects are
noted in turns, and a prompt says other things before it asks.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from evaluation.sets import DAY, UNDATED, Asked, Collection, Item, read_json, read_lines

SEED = 2018
INTERLEAVED_SECONDS = 60.0  # between neighbouring memories of two interleaved conversations
SENTENCE = (5, 25)  # words of a sentence that is put around a question
CHARACTERS = (8, 40)  # or characters
NOISE = 1_000  # messages among which a trajectory of MemDaily is


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


def user_sentences(folder: Path) -> list[str]:
    """Return what users of LongMemEval say, most of it questions of their own: sentences of a few words."""
    said = [turn["content"] for session in read_lines(folder / "sessions.jsonl") for turn in session["turns"]
            if turn["role"] == "user"]  # fmt: skip
    sentences = (sentence for text in said for sentence in re.split(r"(?<=[.!?])\s+", text))
    first, last = SENTENCE
    return list(dict.fromkeys(each for each in sentences if first <= len(each.split()) <= last and "\n" not in each))


def chinese_sentences(folder: Path) -> list[str]:
    """Return turns of KdConv's talk about films and music."""
    first, last = CHARACTERS
    return [each for each in messages(folder, ("film", "music")) if first <= len(each) <= last]


def messages(folder: Path, topics: Sequence[str]) -> list[str]:
    said = (turn["message"] for topic in topics for talk in read_json(folder / f"{topic}_dev.json")
            for turn in talk["messages"])  # fmt: skip
    return list(dict.fromkeys(said))


def memdaily(file: Path, kdconv: Path, draw: int = 0) -> list[Collection]:
    """Return each trajectory of MemDaily among 1,000 messages of KdConv, which ones is a matter of the draw."""
    noise = messages(kdconv, ("film", "music", "travel"))
    return [trajectory(number, each, noise, draw) for number, each in enumerate(read_json(file))]


def trajectory(number: int, record: dict[str, Any], noise: Sequence[str], draw: int) -> Collection:
    chance = random.Random(f"{draw}-{number}")  # noqa: S311 - the same draw at every run
    told = [*enumerate(record["messages"]), *((-1, text) for text in chance.sample(noise, NOISE))]
    chance.shuffle(told)
    items = tuple(Item(text, UNDATED + DAY * place / 10) for place, (_, text) in enumerate(told))
    places = {position: place for place, (position, _) in enumerate(told)}
    gold = frozenset(places[position] for position in record["gold"])
    return Collection(f"trajectory {number}", items, (Asked(record["question"], gold),))


FORMS: dict[str, Callable[[Sequence[Collection]], list[Collection]]] = {
    "chat": list,
    "apart": apart,
    "shuffled": shuffled,
    "interleaved": interleaved,
}


def chinese(text: str) -> bool:
    return any("\u3400" <= character <= "\u9fff" for character in text)
