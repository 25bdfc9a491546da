"""The words of a query: how common each is, which bring candidates, and what each weighs."""

import json
import math
from dataclasses import dataclass

from firmmem.database import Connection, fetch
from firmmem.memory.place import Place
from firmmem.words import match

CANDIDATES = 3_000  # rows that the words of a query may bring: the rarest words first
WEIGHING = 8  # terms too common to bring candidates that still weigh among those of the others
COUNTED = 8_000  # rows that are counted to know how common the words of a query are
LEAST_COUNTED = 100  # and for each of them at least
SMALL = 1_000  # memories below which a store is too small to tell common words from rare ones


@dataclass(frozen=True)
class Terms:
    """What matched_by_words.sql looks up, and the weight of all that was asked."""

    hits: list[list[object]]
    asked: float

    def covered(self, bm25: float) -> float:
        """Return the share of what was asked that the best match covers; a little above 1 for a short text."""
        return bm25 / self.asked if self.asked else 0.0


def weighted(connection: Connection, place: Place, terms: list[str]) -> Terms:
    """Return each term in each shelf with its weight.

    The rarest terms bring the candidates; a term that would bring more than `CANDIDATES` with them only weighs
    among those. Where every term is common, the rarest brings its newest rows.
    """
    counted = frequencies(connection, place, terms)
    size = max(SMALL, place.size)
    weights = {term: inverse_frequency(counted[term], size) for term in terms}
    rarest = sorted((term for term in terms if counted[term]), key=counted.__getitem__)
    bringing = bringers(rarest, counted, place)
    spans = [shelf.rows for shelf in place.shelves]
    if bringing and counted[bringing[0]] > CANDIDATES and place.size > CANDIDATES:
        spans = [(newest(connection, match(bringing[0]), low, high), high) for low, high in spans]
    either = " OR ".join(match(term) for term in bringing)
    hits: list[list[object]] = []
    for term in bringing:
        hits += [[low, high, weights[term], match(term), match(term, "repeated")] for low, high in spans]
    for term in rarest[len(bringing) :][:WEIGHING]:
        hits += [[low, high, weights[term], f"({match(term)}) AND ({either})", ""] for low, high in spans]
    return Terms(hits, sum(weights.values()))


def bringers(rarest: list[str], counted: dict[str, float], place: Place) -> list[str]:
    """Return the terms that bring candidates: the rarest, and more while they bring few enough."""
    bringing, total = rarest[:1], counted[rarest[0]] if rarest else 0.0
    for term in rarest[1:]:
        total += counted[term]
        if total > CANDIDATES and place.size > CANDIDATES:
            break
        bringing.append(term)
    return bringing


def frequencies(connection: Connection, place: Place, terms: list[str]) -> dict[str, float]:
    """Return in how many memories each term occurs; beyond a number that is counted, by how dense its newest are."""
    spans = [shelf.rows for shelf in place.shelves]
    probes = [[low, high, match(term)] for term in terms for low, high in spans]
    most = max(LEAST_COUNTED, COUNTED // max(1, len(probes)))
    counted = dict.fromkeys(terms, 0.0)
    for row in fetch(connection, "term", probes=json.dumps(probes), most=most):
        count, oldest, latest = json.loads(row["counted"])
        shelf = place.shelves[row["probe"] % len(spans)]
        if count == most:
            # As dense as among the newest, over all rows down to the shelf's lowest.
            count = min(float(shelf.size), count * (latest - shelf.rows[0]) / (latest - oldest + 1))
        counted[terms[row["probe"] // len(spans)]] += count
    return counted


def newest(connection: Connection, expression: str, low: int, high: int) -> int:
    """Return the row from which the newest candidates with a common term begin."""
    found = fetch(connection, "newest", match=expression, lowest=low, highest=high, most=CANDIDATES)
    return int(found[0]["first"]) if found else low


def inverse_frequency(frequency: float, size: int) -> float:
    """Return a term's weight: the rarer, the more; never below 0."""
    return math.log(1.0 + (size - frequency + 0.5) / (frequency + 0.5)) if frequency <= size else 0.0
