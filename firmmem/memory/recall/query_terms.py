"""The words of a query: how common each is, which bring candidates, and what each weighs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from firmmem.dates.spans_in_query import StatedSpan, find_spans, remove_date_phrases
from firmmem.memory.recall.limits import MANY
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.word_frequencies import Probe, choose_bringers, count_frequencies
from firmmem.store.statements import Connection, fetch
from firmmem.text.search_words import match_expression, segment_words

SMALL = 1_000  # memories below which a store is too small to tell common words from rare ones
CHANCE = 1.5  # standard deviations by which a word's frequency in a small store may be due to chance


class Hit(NamedTuple):
    """A term in one shelf: its rows there from `low` to `high` that the expression `once` finds have its weight.

    `again` finds those that have it repeatedly, `beside` those that count among the neighbours of the best; either may
    be empty.
    """

    low: int
    high: int
    weight: float
    once: str
    again: str
    beside: str


class Span(NamedTuple):
    """From when until when a memory was written to have this weight, and whether that is asked beside the words."""

    first: float
    after: float
    weight: float
    asked: bool


@dataclass(frozen=True)
class Terms:
    """What is looked up for a query, the weight of all that was asked, and how many rows are read."""

    hits: list[Hit]
    known: dict[Probe, list[int]]  # rows that were read to know how common a term is
    spans: list[Span]
    words: set[str]  # that are asked for
    asked: float
    read: int  # of the rows brought, those with most of what was asked
    whole: bool  # every row that matches is brought

    @property
    def met(self) -> bool:
        """Whether anything matches."""
        return bool(self.hits or self.spans)

    def covered(self, bm25: float) -> float:
        """Return the share of what was asked that the best match covers; a little above 1 for a short text."""
        return bm25 / self.asked if self.asked else 0.0


def weigh_terms(connection: Connection, scope: Scope, terms: list[str], query: str) -> Terms:
    """Return each term in each shelf with its weight, and each span that the query states.

    A span is a term that is met where something was written in it, and another that is met by the days, months or
    years that a text names. What only today explains, such as `last week`, is asked for by these and not by its words.
    """
    spans = find_spans(query, now=scope.parameters["now"])
    dates = {f" {span.said}": span for span in spans if not set(span.words) & set(terms)}  # no term has a space
    expressions = {term: match_expression(term) for term in terms}
    expressions |= {key: " OR ".join(map(match_expression, span.words)) for key, span in dates.items()}
    counted, known = count_frequencies(connection, scope, expressions)
    weights = {
        key: inverse_frequency(counted[key], scope.size) if key in dates else term_weight(counted[key], scope.size)
        for key in expressions
    }
    written = {span: inverse_frequency(each, scope.size) for span, each in spans_written_in(connection, scope, spans)}
    needed = set(segment_words(remove_date_phrases(query, spans))) if spans else set(terms)
    asked = sum(weights[term] for term in terms if term in needed)
    for span in spans:
        if span.relative:
            named = f" {span.said}"
            asked += max(weights[named] if counted.get(named) else 0.0, written.get(span, 0.0))
    brought, read = (scope.caps.filtered, MANY) if scope.narrowed else (scope.caps.brought, scope.caps.candidates)
    dated_words = {word for span in spans for word in segment_words(span.said)} | {*dates}
    hits = choose_probes(connection, scope, expressions, counted, weights, dated_words, brought)
    dated = [Span(span.first, span.after, weight, span.relative) for span, weight in written.items()]
    return Terms(hits, known, dated, set(terms), asked, read, scope.size <= brought or sum(counted.values()) <= brought)


def choose_probes(
    connection: Connection,
    scope: Scope,
    expressions: dict[str, str],
    counted: dict[str, float],
    weights: dict[str, float],
    dates: set[str],
    most: int,
) -> list[Hit]:
    """Return each expression in each shelf that is looked up.

    The rarest bring the rows; one that would bring more than `most` with them only weighs among those, and among the
    neighbours of the best. Of the commoner ones two together bring rows, but for those of `dates`, which go together
    anyway. Where every one is common, the rarest brings its newest rows.
    """
    rarest = sorted((key for key in expressions if counted[key]), key=counted.__getitem__)
    bringing = choose_bringers(rarest, counted, scope, most)
    paired = pair_terms([key for key in rarest[len(bringing) :] if key not in dates], counted, scope, most)
    rows = recent = [shelf.rows for shelf in scope.shelves]
    if rarest and not bringing:
        bringing = rarest[:1]
        common = expressions[rarest[0]]
        recent = [(newest_row(connection, common, low, high, scope.caps.filtered), high) for low, high in rows]
    hits: list[Hit] = []
    for number, key in enumerate(rarest[: len(bringing) + scope.caps.weighing]):
        beside = expressions[key] if number < scope.caps.company else ""
        others = [expressions[each] for each in paired if each != key] if key in paired else []
        if key in bringing:
            again = "" if " " in key else match_expression(key, "repeated")
            hits += [Hit(low, high, weights[key], expressions[key], again, beside) for low, high in recent]
            rest = [(low, since - 1) for (low, _), (since, _) in zip(rows, recent, strict=True) if others]
        else:
            others += [expressions[each] for each in bringing]
            rest = rows if key in paired else recent
        among = f"({expressions[key]}) AND ({' OR '.join(others)})"
        hits += [Hit(low, high, weights[key], among, "", beside) for low, high in rest]
    return hits


def spans_written_in(connection: Connection, scope: Scope, spans: list[StatedSpan]) -> Iterator[tuple[StatedSpan, int]]:
    """Return the spans in which something was written, and how many memories; what is too many to count is all.

    Of the years that a date may be of, it is the latest in which something was.
    """
    for stated_span in spans:
        for span in stated_span.years():
            bounds = {"shelves": scope.parameters["shelves"], "since": span.first, "until": span.after}
            [row] = fetch(connection, "count_by_date", **bounds, most=scope.caps.dated)
            if row["count"]:
                yield span, row["count"] if row["count"] <= scope.caps.dated else scope.size
                break


def pair_terms(rarest: list[str], counted: dict[str, float], scope: Scope, most: int) -> list[str]:
    """Return the terms of which two together bring rows: the rarest, while that is few rows and few are walked."""
    paired: list[str] = []
    total, both = 0.0, 0.0
    for term in rarest:
        both += counted[term] * total / max(1, scope.size)
        total += counted[term]
        if both > most or total * (len(paired) + 1) > scope.caps.walked:
            break
        paired.append(term)
    return paired if len(paired) > 1 else []


def newest_row(connection: Connection, expression: str, low: int, high: int, most: int) -> int:
    """Return the row from which the newest `most` rows with a common term begin."""
    found = fetch(connection, "newest", match=expression, lowest=low, highest=high, most=most)
    return int(found[0]["first"]) if found else low


def term_weight(frequency: float, size: int) -> float:
    """Return a word's weight: in a small store it is rare unless it is surely common there.

    What is in one or two memories of twenty may be a common word all the same, and what is in all of them is common.
    """
    if size >= SMALL:
        return inverse_frequency(frequency, size)
    surely = max(0.0, frequency - CHANCE * math.sqrt(frequency)) * SMALL / max(1, size)
    return inverse_frequency(min(SMALL, max(frequency, surely)), SMALL)


def inverse_frequency(frequency: float, size: int) -> float:
    """Return a term's weight: the rarer, the more; never below 0."""
    return math.log(1.0 + (size - frequency + 0.5) / (frequency + 0.5)) if frequency <= size else 0.0
