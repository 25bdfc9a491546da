"""What every peer is asked: queries of the recall bench, and the rarest words of memories that are there."""

from collections.abc import Callable

from benching import cases, store
from benching.peers.peer import Call, Peer


def questions(size: int) -> dict[str, Callable[[Peer, int], Call]]:
    """Return by name what is asked of a peer in a round."""
    same = ("recall, a common word", "recall, three ordinary words")
    return {
        "recall, a rare word": lambda peer, number: peer.search(store.words_of(number * cases.APART, size)[:1]),
        **{name: asking(name) for name in same},
        "recall, ten words of a memory": lambda peer, number: peer.search(
            store.words_of(number * cases.APART, size)[:10]
        ),
        "recall without a query": lambda peer, _: peer.recent(),
        "write": lambda peer, number: peer.write(number, cases.written(number)),
    }


def asking(name: str) -> Callable[[Peer, int], Call]:
    [case] = [case for case in cases.cases((), 1) if case.name == name]
    return lambda peer, number: peer.search(str(case.arguments(number)["query"]).split())
