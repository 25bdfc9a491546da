"""Search without its index, while that is damaged: the words of the newest memories are read one by one."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import Question
from firmmem.memory.recall.bm25 import K1, B
from firmmem.memory.recall.by_query import Found
from firmmem.memory.recall.clauses import Clause
from firmmem.memory.recall.evidence import Evidence, clause_shares, is_chinese
from firmmem.memory.recall.query_terms import term_weight
from firmmem.memory.recall.scope import Scope
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

SCANNED = 50_000  # memories that are read; it takes about a second
STEM = 3  # letters that an English word keeps at least
ENDINGS = ("ing", "ies", "ed", "es", "s", "y", "e")


def rank_by_scan(
    connection: Connection, question: Question, scope: Scope, clauses: list[Clause], settings: Settings
) -> Found:
    """Return the best rows for a query as `by_query.rank` does, by words alone."""
    rows = fetch(connection, "scan", shelves=scope.parameters["shelves"], most=SCANNED)
    evidence: list[Evidence] = []
    scores: list[dict[int, float]] = []
    for clause in clauses:
        asked = list(dict.fromkeys(stem(term) for term in clause.terms))
        found, total = scan_scores(rows, asked, scope.size)
        covered = max(found.values(), default=0.0) / total if total else 0.0
        chinese = is_chinese(clause.terms)
        evidence.append(Evidence(covered, total, None, 0.0, scope.size, chinese=chinese, asks=clause.asks))
        scores.append(found)
    matched: dict[int, float] = {}
    for share, found in zip(clause_shares(evidence), scores, strict=True):
        most = max(found.values(), default=1.0)
        for memory, score in found.items():
            matched[memory] = max(matched.get(memory, 0.0), share * score / most)
    nearest = sorted(matched, key=lambda memory: (-matched[memory], memory))[: scope.caps.scored]
    candidates = [(memory, matched[memory], None, 0) for memory in nearest]
    parameters = {
        **scope.parameters,
        "bound": scoring.prior_bound(settings.prior_strength),
        "prior_strength": settings.prior_strength,
        "limit": question.limit,
    }
    rows_found = fetch(connection, "recall", "candidate_by_meaning", **parameters, candidates=json.dumps(candidates))
    return Found(rows_found, max(len(rows_found), len(matched)), evidence)


def scan_scores(rows: list[Any], asked: list[str], size: int) -> tuple[dict[int, float], float]:
    """Return the BM25 of each row that has a word asked for, and the weight of all that was asked."""
    found: dict[int, tuple[Counter[str], int]] = {}
    for row in rows:
        words = Counter(stem(word) for word in row["words"].split())
        if any(word in words for word in asked):
            found[row["id"]] = (words, row["length"])
    frequency = Counter(word for words, _ in found.values() for word in asked if word in words)
    weights = {word: term_weight(frequency[word], size) for word in asked}
    mean = math.fsum(row["length"] for row in rows) / max(1, len(rows)) or 1.0
    scores = {}
    for memory, (words, length) in found.items():
        damping = K1 * (1.0 - B + B * length / mean)
        counts = {word: min(2, words[word]) for word in asked}
        scores[memory] = math.fsum(
            weights[word] * count * (K1 + 1.0) / (count + damping) for word, count in counts.items()
        )
    return scores, math.fsum(weights.values())


def stem(word: str) -> str:
    """Return a word without its English ending, roughly; words that no such ending has stay as they are."""
    if word.isascii():
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= STEM:
                return word.removesuffix(ending)
    return word
