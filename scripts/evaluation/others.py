"""What other people said: runs of words of real sentences, so that every word is as common as it is in a language.

A memory reads as LoCoMo's do, `date speaker: text`. Its text is put together of runs of words of LongMemEval's,
LifeBench's and MemoryBank's English sentences, and ends with two words of a turn of the conversations themselves: what
is asked for by a word of theirs competes with others that have it. Their speakers are among the others too, some of
them as people whom everyone talks of and some as people of whom few do.
"""

import random
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

from benching import words

from evaluation import sets
from evaluation.sets import Collection

SHORTEST, LONGEST = 8, 30  # words of a memory: LoCoMo's have 22 on average
RUN = (3, 9)  # neighbouring words of one sentence
OWN_RUN = 2  # and of a turn
NAMES = 2_000  # people who speak
KNOWN_EVERY = 12  # each so manieth name is one of the conversations'


@dataclass(frozen=True)
class Others:
    """What other memories are made of: sentences, turns of the conversations, and who speaks how often."""

    sentences: Sequence[Sequence[str]]
    turns: Sequence[Sequence[str]]
    names: Sequence[str]
    ladder: Sequence[float]  # the cumulated frequencies of the names

    def text(self, chance: random.Random, at: float) -> str:
        """Return what someone said at a time (seconds since 1970 UTC)."""
        name = self.names[bisect(self.ladder, chance.random() * self.ladder[-1])]
        length = chance.randint(SHORTEST, LONGEST)
        said: list[str] = []
        while len(said) < length - OWN_RUN:
            said += run(chance, self.sentences, min(chance.randint(*RUN), length - OWN_RUN - len(said)))
        said += run(chance, self.turns, OWN_RUN)
        return f"{date(at)} {name}: {' '.join(said)}"


def run(chance: random.Random, texts: Sequence[Sequence[str]], length: int) -> Sequence[str]:
    """Return neighbouring words of one of the texts."""
    text = chance.choice(texts)
    start = chance.randrange(max(1, len(text) - length + 1))
    return text[start : start + length]


def date(at: float) -> str:
    """Return a date as LoCoMo writes it: `1:56 pm on 8 May, 2023`."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.hour % 12 or 12}:{moment:%M} {'pm' if moment.hour >= 12 else 'am'} on {moment.day} {moment:%B, %Y}"


def others(data: Path, conversations: Sequence[Collection]) -> Others:
    """Return what other memories are made of, from a folder of sets."""
    items = [item.text.split(": ", 1) for each in conversations for item in each.items]
    speakers = dict.fromkeys(dated.rsplit(" ", 1)[1] for dated, _ in items)
    names = [words.content(rank).title() for rank in range(NAMES)]
    for place, speaker in enumerate(speakers, 1):
        names[place * KNOWN_EVERY - KNOWN_EVERY // 2] = speaker
    sentences = [each for text in texts(data) for each in cut(text)]
    ladder = list(accumulate((rank + 2.7) ** -1.07 for rank in range(NAMES)))
    return Others(sentences, [text.split() for _, text in items], names, ladder)


def texts(data: Path) -> Iterator[str]:
    """Yield the English texts of the sets that are not asked about."""
    english = data / "lifebench" / "lb_en.json"
    for collection in (*sets.longmemeval(data / "longmemeval"), *sets.lifebench(english, english)):
        yield from dict.fromkeys(item.text for item in collection.items)
    for person in sets.read_json(data / "memorybank" / "memory_bank_en.json").values():
        yield from (turn[side] for day in person["history"].values() for turn in day for side in ("query", "response"))


def cut(text: str) -> Iterator[list[str]]:
    """Yield the sentences of a text that are long enough to take a run of."""
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
        found = re.sub(r"[*#|>\[\]]+", " ", sentence).split()
        if len(found) >= RUN[0]:
            yield found
