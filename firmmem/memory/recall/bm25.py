"""What matches the words of a query: gathered from the search index, weighed by BM25, and seen in its context.

SQLite walks the index and hands over numbers as one text: a row of a result would cost ten times as much.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable
from heapq import nlargest
from itertools import pairwise

from firmmem import scoring
from firmmem.memory.recall.matches import Match, Matched
from firmmem.memory.recall.query_terms import Hit, Span, Terms
from firmmem.memory.recall.resemblance import lift_resembling
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.word_frequencies import Probe, matching_rows
from firmmem.store.statements import Connection, fetch

K1 = 1.2  # BM25's usual damping of repeated words
B = 0.75  # and of long texts
REACH = 2 * len(scoring.CONTEXT)  # rows beside a leading one that may be its context, or the context of that
CONTEXT_MS = 600_000  # within which memories written one after the other belong together
CONTEXT = [(side * distance, weight) for distance, weight in enumerate(scoring.CONTEXT, 1) for side in (-1, 1)]
SAFE = 0.999999999  # of a bound, since sums are rounded
ID = (1 << 40) - 1  # the bits of a row of the search index that are the memory's id


def match_words(connection: Connection, scope: Scope, asked: Terms, scored: int, *, bound: float) -> Matched:
    """Return those of the `scored` memories that match best by BM25, and of their neighbours, that can rank.

    A score is at least `bound` times the relevance; with 0 all are returned. BM25 is that of Robertson and Zaragoza
    (2009, section 3), with counts above 2 taken as 2; FTS5's own bm25() would count every other namespace's words too.
    """
    once, again = gather_weights(connection, scope, asked)
    lengths, written = read_lengths(connection, scope, once)
    if not lengths:
        return Matched([], 0, 0.0)
    bm25 = bm25_scores(scope, lengths, once, again)
    best = max(bm25.values())
    if asked.spans:
        best = max(weight + span_weights(written[row], asked.spans, asked=True) for row, weight in bm25.items())
        bm25 = {row: weight + span_weights(written[row], asked.spans) for row, weight in bm25.items()}
    first = top_rows(bm25, scored)
    matches = lift_resembling(connection, add_context(bm25, written, first), asked.words, asked.covered(best))
    return Matched(drop_hopeless(matches, scope.parameters["limit"], bound), len(bm25), best)


def gather_weights(connection: Connection, scope: Scope, asked: Terms) -> tuple[dict[int, float], dict[int, float]]:
    """Return the weight of the terms that each row has, and of those that it has repeatedly.

    Only the rows with most of the terms are kept, whatever their length, and the rows beside the first of them that
    have any term: what was written just before and after is a memory's context.
    """
    repeating = [hit for hit in asked.hits if hit.again]
    probes = [(hit.low, hit.high, hit.once) for hit in asked.hits]
    probes += [(hit.low, hit.high, hit.again) for hit in repeating]
    found = matching_rows(connection, probes, asked.known)
    once, again = dict[int, float](), dict[int, float]()
    for hit, rows in zip(asked.hits, found, strict=False):
        add_weight(once, rows, hit.weight)
    for hit, rows in zip(repeating, found[len(asked.hits) :], strict=True):
        add_weight(again, rows, hit.weight)
    rough = once | {row: once.get(row, 0.0) + weight for row, weight in again.items()}
    room = scope.caps.filtered
    for span in asked.spans:
        bounds = {"shelves": scope.parameters["shelves"], "since": span.first, "until": span.after}
        [row] = fetch(connection, "dated", **bounds, most=room)
        rows = json.loads(row["found"])
        add_weight(rough, rows, span.weight)
        room -= len(rows)
    kept = top_rows(rough, asked.read)
    beside = neighbour_weights(connection, asked.hits, found, kept[: scope.caps.leading])
    return beside | {row: once.get(row, 0.0) for row in kept}, again


def add_weight(weights: dict[int, float], rows: Iterable[int], weight: float) -> None:
    """Add a weight to that of each row."""
    for row in rows:
        weights[row] = weights.get(row, 0.0) + weight


def top_rows(weights: dict[int, float], most: int) -> list[int]:
    """Return the rows of most weight, and of equal ones the newest, in order."""
    return sorted(sorted(weights, reverse=True), key=weights.__getitem__, reverse=True)[:most]


def neighbour_weights(
    connection: Connection, hits: list[Hit], found: list[list[int]], leading: list[int]
) -> dict[int, float]:
    """Return the weight of the terms that rows beside the leading ones have."""
    near: set[tuple[str, float, int]] = set()
    probed: list[tuple[Hit, Probe]] = []
    for row in leading:
        for hit, rows in zip(hits, found, strict=False):
            low, high = max(hit.low, row - REACH), min(hit.high, row + REACH)
            if hit.beside == hit.once:  # its rows are known
                near.update((hit.beside, hit.weight, each) for each in rows_within(rows, low, high))
            elif hit.beside:
                probed.append((hit, (low, high, hit.beside)))
    for (hit, _), rows in zip(probed, matching_rows(connection, [probe for _, probe in probed], {}), strict=True):
        near.update((hit.beside, hit.weight, each) for each in rows)
    weights: dict[int, float] = {}
    for _, weight, row in near:
        add_weight(weights, [row], weight)
    return weights


def rows_within(rows: list[int], low: int, high: int) -> list[int]:
    """Return those of ascending rows that lie from `low` to `high`."""
    return rows[bisect_left(rows, low) : bisect_left(rows, high + 1)]


def read_lengths(connection: Connection, scope: Scope, rows: Iterable[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many words those rows have that the filters let pass, and when they were written in milliseconds."""
    filters = {name: scope.parameters[name] for name in ("tiers", "since", "until", "tags")}
    [size] = fetch(connection, "sized", rows=json.dumps(sorted(rows)), narrowed=scope.narrowed, **filters)
    found, lengths, written = (json.loads(size[name]) for name in ("found", "lengths", "written"))
    return dict(zip(found, lengths, strict=True)), dict(zip(found, written, strict=True))


def bm25_scores(
    scope: Scope, lengths: dict[int, int], once: dict[int, float], again: dict[int, float]
) -> dict[int, float]:
    """Return the BM25 of rows, without what dates add."""
    mean = max(1.0, sum(shelf.words for shelf in scope.shelves) / max(1, scope.size))
    dampings = {length: K1 * (1.0 - B + B * length / mean) for length in set(lengths.values())}
    singles = {length: (K1 + 1.0) / (1.0 + damping) for length, damping in dampings.items()}
    bm25 = {row: once[row] * singles[length] for row, length in lengths.items()}
    for row in again.keys() & bm25.keys():
        length = lengths[row]
        bm25[row] += again[row] * (2.0 * (K1 + 1.0) / (2.0 + dampings[length]) - singles[length])
    return bm25


def span_weights(moment: int, spans: list[Span], *, asked: bool = False) -> float:
    """Return the weight of the spans that a moment lies in: of all, or of those asked for beside the words."""
    return sum(
        span.weight for span in spans if span.first * 1000 <= moment < span.after * 1000 and (span.asked or not asked)
    )


def add_context(bm25: dict[int, float], written: dict[int, int], first: list[int]) -> list[Match]:
    """Return the first rows and their neighbours, with the relevance that what was written beside them lends."""
    best = bm25[first[0]] or 1.0
    beside = {row: context_of(row, bm25, written) for row in with_near_rows(bm25)}
    near = [other for row in first if row in beside for other, _ in beside[row]]
    own = {row: bm25[row] / best for row in [*first, *near]}
    relevance = own.copy()
    for row in own.keys() & beside.keys():
        support = sum(weight * bm25[other] for other, weight in beside[row]) / best
        relevance[row] = scoring.lift_by_context(own[row], support)
    return [Match(row & ID, relevance[row], share) for row, share in own.items()]


def with_near_rows(rows: Iterable[int]) -> set[int]:
    """Return the rows that another one is near enough to for being its context."""
    near = len(scoring.CONTEXT)
    return {row for low, high in pairwise(sorted(rows)) if high - low <= near for row in (low, high)}


def context_of(row: int, bm25: dict[int, float], written: dict[int, int]) -> list[tuple[int, float]]:
    """Return the matches that are a row's context, with what each lends."""
    return [
        (other, weight)
        for distance, weight in CONTEXT
        if (other := row + distance) in bm25 and abs(written[other] - written[row]) <= CONTEXT_MS
    ]


def drop_hopeless(matches: list[Match], limit: int, bound: float) -> list[Match]:
    """Return the matches that can rank among the first `limit`, if a score is at least `bound` times the relevance."""
    if len(matches) <= limit or not bound:
        return matches
    least = SAFE * bound * nlargest(limit, (match.relevance for match in matches))[-1]
    return [match for match in matches if match.relevance >= least]
