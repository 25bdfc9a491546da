"""What every peer is asked: queries of the recall bench, and the rarest words of memories that are there."""

from collections.abc import Callable
from functools import cache

from benching import cases, store, words
from benching.peers.peer import Call, Peer

APART = 7_919  # numbers between the memories whose words are asked for


def questions(size: int) -> dict[str, Callable[[Peer, int], Call]]:
    """Return by name what is asked of a peer in a round."""
    same = ("recall, a common word", "recall, three ordinary words")
    return {
        "recall, a rare word": lambda peer, number: peer.search(rarest(number, size)[:1]),
        **{name: asking(name) for name in same},
        "recall, ten words of a memory": lambda peer, number: peer.search(rarest(number, size)[:10]),
        "recall without a query": lambda peer, _: peer.recent(),
        "write": lambda peer, number: peer.write(number, cases.written(number)),
    }


def asking(name: str) -> Callable[[Peer, int], Call]:
    [case] = [case for case in cases.cases(()) if case.name == name]
    return lambda peer, number: peer.search(str(case.arguments(number)["query"]).split())


def rarest(number: int, size: int) -> list[str]:
    """Return the words of a memory, the rarest first; of one in Chinese characters, those of the next in words."""
    text = store.made(number * APART % size, size).new.summary.rstrip(".")
    known = [word for word in dict.fromkeys(text.split()) if word in ranks()]
    return sorted(known, key=ranks().__getitem__, reverse=True) or rarest(number + 1, size)


@cache
def ranks() -> dict[str, int]:
    return {word: rank for rank, word in enumerate(words.vocabulary())}
