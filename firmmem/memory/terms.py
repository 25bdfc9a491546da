"""The words of a query: how common each is, which bring candidates, and what each weighs."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from firmmem.database import Connection, fetch
from firmmem.memory.place import Place
from firmmem.when import Stated, stated, without
from firmmem.words import match, segment

CANDIDATES = 3_000  # rows that the words of a query may bring: the rarest words first
WEIGHING = 8  # terms too common to bring candidates that still weigh among those of the others
COUNTED = 8_000  # rows that are counted to know how common the words of a query are
LEAST_COUNTED = 100  # and for each of them at least
SMALL = 1_000  # memories below which a store is too small to tell common words from rare ones


@dataclass(frozen=True)
class Terms:
    """What matched_by_words.sql looks up, and the weight of all that was asked."""

    hits: list[list[object]]
    spans: list[tuple[float, float, float, int]]
    asked: float

    @property
    def met(self) -> bool:
        """Whether anything matches."""
        return bool(self.hits or self.spans)

    def covered(self, bm25: float) -> float:
        """Return the share of what was asked that the best match covers; a little above 1 for a short text."""
        return bm25 / self.asked if self.asked else 0.0


def weighted(connection: Connection, place: Place, terms: list[str], query: str) -> Terms:
    """Return each term in each shelf with its weight, and each span that the query states.

    A span is a term that is met where something was written in it, and another that is met by the days, months or
    years that a text names. What only today explains, such as `last week`, is asked for by these and not by its words.
    """
    spans = stated(query, now=place.parameters["now"])
    dates = {f" {span.said}": span for span in spans if not set(span.words) & set(terms)}  # no term has a space
    expressions = {term: match(term) for term in terms}
    expressions |= {key: " OR ".join(map(match, span.words)) for key, span in dates.items()}
    counted = frequencies(connection, place, expressions)
    size = max(SMALL, place.size)
    weights = {key: inverse_frequency(counted[key], place.size if key in dates else size) for key in expressions}
    written = {span: inverse_frequency(each, place.size) for span, each in written_in(connection, place, spans)}
    needed = set(segment(without(query, spans))) if spans else set(terms)
    asked = sum(weights[term] for term in terms if term in needed)
    for span in spans:
        if span.relative:
            named = f" {span.said}"
            asked += max(weights[named] if counted.get(named) else 0.0, written.get(span, 0.0))
    hits = looked_up(connection, place, expressions, counted, weights)
    dated = [(span.first, span.after, weight, int(span.relative)) for span, weight in written.items()]
    return Terms(hits, dated, asked)


def looked_up(
    connection: Connection,
    place: Place,
    expressions: dict[str, str],
    counted: dict[str, float],
    weights: dict[str, float],
) -> list[list[object]]:
    """Return each expression in each shelf as matched_by_words.sql takes it.

    The rarest bring the candidates; one that would bring more than `CANDIDATES` with them only weighs among those.
    Where every one is common, the rarest brings its newest rows.
    """
    rarest = sorted((key for key in expressions if counted[key]), key=counted.__getitem__)
    bringing = bringers(rarest, counted, place)
    rows = [shelf.rows for shelf in place.shelves]
    if bringing and counted[bringing[0]] > CANDIDATES and place.size > CANDIDATES:
        rows = [(newest(connection, expressions[bringing[0]], low, high), high) for low, high in rows]
    either = " OR ".join(expressions[key] for key in bringing)
    hits: list[list[object]] = []
    for key in bringing:
        repeated = "" if " " in key else match(key, "repeated")
        hits += [[low, high, weights[key], expressions[key], repeated] for low, high in rows]
    for key in rarest[len(bringing) :][:WEIGHING]:
        hits += [[low, high, weights[key], f"({expressions[key]}) AND ({either})", ""] for low, high in rows]
    return hits


def written_in(connection: Connection, place: Place, spans: list[Stated]) -> Iterator[tuple[Stated, int]]:
    """Return the spans in which something was written, and how many memories; what is too many to count is all.

    Of the years that a date may be of, it is the latest in which something was.
    """
    for stated_span in spans:
        for span in stated_span.years():
            bounds = {"shelves": place.parameters["shelves"], "since": span.first, "until": span.after}
            [row] = fetch(connection, "count_by_date", **bounds, most=COUNTED)
            if row["count"]:
                yield span, row["count"] if row["count"] <= COUNTED else place.size
                break


def bringers(rarest: list[str], counted: dict[str, float], place: Place) -> list[str]:
    """Return the terms that bring candidates: the rarest, and more while they bring few enough."""
    bringing, total = rarest[:1], counted[rarest[0]] if rarest else 0.0
    for term in rarest[1:]:
        total += counted[term]
        if total > CANDIDATES and place.size > CANDIDATES:
            break
        bringing.append(term)
    return bringing


def frequencies(connection: Connection, place: Place, expressions: dict[str, str]) -> dict[str, float]:
    """Return in how many memories each expression is met; beyond a number, by how dense the newest are."""
    spans = [shelf.rows for shelf in place.shelves]
    terms = list(expressions)
    probes = [[low, high, expressions[term]] for term in terms for low, high in spans]
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
