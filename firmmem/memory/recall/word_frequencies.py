"""How common the words of a query are: their rows where these are few, else an estimate from parts of a shelf."""

import json
from itertools import pairwise

from firmmem.memory.recall.limits import MANY
from firmmem.memory.recall.scope import Scope
from firmmem.memory.rows.shelves import Shelf
from firmmem.store.statements import Connection, fetch

PARTS = 4  # of a large shelf, in each of which it is counted how common a word is
FEW = 16  # terms, beyond which a shelf is not taken apart for that
Probe = tuple[int, int, str]  # the lowest row, the highest, and an FTS5 expression


def count_frequencies(
    connection: Connection, scope: Scope, expressions: dict[str, str]
) -> tuple[dict[str, float], dict[Probe, list[int]]]:
    """Return in how many memories each expression is met, and the rows that were read to know it."""
    each = max(scope.caps.least_counted, scope.caps.counted // max(1, len(expressions) * len(scope.shelves)))
    probes = [(*shelf.rows, expression) for expression in expressions.values() for shelf in scope.shelves]
    known: dict[Probe, list[int]] = {}
    if len(expressions) <= FEW:
        most = min(each, scope.caps.known)
        found = zip(probes, matching_rows(connection, probes, {}, most), strict=True)
        known = {probe: rows for probe, rows in found if len(rows) < most}
    common = {
        term: expression
        for term, expression in expressions.items()
        if not all((*shelf.rows, expression) in known for shelf in scope.shelves)
    }
    counted = {
        term: float(sum(len(known[(*shelf.rows, expression)]) for shelf in scope.shelves))
        for term, expression in expressions.items()
        if term not in common
    }
    if common:
        counted |= estimate_frequencies(connection, scope, common, counted, each)
    return {term: min(float(scope.size), counted[term]) for term in expressions}, known


def matching_rows(
    connection: Connection, probes: list[Probe], known: dict[Probe, list[int]], most: int = MANY
) -> list[list[int]]:
    """Return the first rows that each probe matches, ascending; those of `known` are not looked up again."""
    unknown = [probe for probe in dict.fromkeys(probes) if probe not in known]
    found = fetch(connection, "matching", probes=json.dumps(unknown), most=most) if unknown else []
    read = {unknown[row["probe"]]: json.loads(row["found"]) for row in found}
    return [known[probe] if probe in known else read[probe] for probe in probes]


def estimate_frequencies(
    connection: Connection, scope: Scope, expressions: dict[str, str], others: dict[str, float], each: int
) -> dict[str, float]:
    """Return in how many memories each expression is met; beyond a number, by how dense it is in parts of a shelf.

    `others` are the counts of the rest of the query.
    """
    few = len(expressions) + len(others) <= FEW
    parts = [part for shelf in scope.shelves for part in parts_of(connection, shelf, each, few=few)]
    terms = list(expressions)
    probes = [[low, high, expressions[term]] for term in terms for low, high in parts]
    most = each * len(scope.shelves) // max(1, len(parts))
    counted, guessed = dict.fromkeys(terms, 0.0), set[str]()
    for row in fetch(connection, "term", probes=json.dumps(probes), most=most):
        count, latest, mean = json.loads(row["counted"])
        _, high = parts[row["probe"] % len(parts)]
        if count == most:
            # As dense as among the oldest, over all rows up to the part's last. Half of them lie above their mean,
            # which a single early one does not move far.
            dense = min(1.0, count / (2.0 * (latest - mean) + 1.0))
            count += dense * (high - latest)
            guessed.add(terms[row["probe"] // len(parts)])
        counted[terms[row["probe"] // len(parts)]] += count
    if guessed and few:  # what seems rare brings rows, and all of them
        every = counted | others
        rare = choose_bringers(sorted(every, key=every.__getitem__), every, scope, scope.caps.brought)
        counted |= count_exactly(connection, scope, {term: expressions[term] for term in rare if term in guessed})
    return counted


def count_exactly(connection: Connection, scope: Scope, expressions: dict[str, str]) -> dict[str, float]:
    """Return in how many memories each expression is met, counted as far as just above what terms may bring."""
    probes = [[*shelf.rows, expression] for expression in expressions.values() for shelf in scope.shelves]
    counted = dict.fromkeys(expressions, 0.0)
    for row in fetch(connection, "frequency", probes=json.dumps(probes), most=scope.caps.brought):
        counted[[*expressions][row["probe"] // len(scope.shelves)]] += row["frequency"]
    return counted


def choose_bringers(rarest: list[str], counted: dict[str, float], scope: Scope, most: int) -> list[str]:
    """Return the terms that bring candidates: the rarest, and more while they bring few enough."""
    bringing: list[str] = []
    total = 0.0
    for term in rarest:
        total += counted[term]
        if total > most and scope.size > most:
            break
        bringing.append(term)
    return bringing


def parts_of(connection: Connection, shelf: Shelf, most: int, *, few: bool) -> list[tuple[int, int]]:
    """Return the first and the last row of each part of a shelf in which terms are counted, since words go in waves.

    It is one where no term can be met more than `most` times.
    """
    lowest, highest = shelf.rows
    if shelf.size < most:
        return [shelf.rows]
    [row] = fetch(connection, "last_row", lowest=lowest, highest=highest)
    parts = PARTS if few else 1
    edges = [lowest + (row["last"] - lowest + 1) * part // parts for part in range(parts + 1)]
    return [(low, after - 1) for low, after in pairwise(edges)]
