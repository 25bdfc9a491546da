"""What speaks for an answer: for each clause of a query, how far the best that was found answers it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from firmmem import scoring
from firmmem.memory.recall.bm25 import match_words
from firmmem.memory.recall.clauses import Clause
from firmmem.memory.recall.matches import Matched
from firmmem.memory.recall.query_terms import weigh_terms
from firmmem.memory.recall.scope import Scope
from firmmem.store.statements import Connection

if TYPE_CHECKING:
    from firmmem.memory.recall.vectors import Nearness

STATED = 0.5  # how much what is found for words around a question counts


@dataclass(frozen=True)
class ClauseMatches:
    """What matches the words of a clause, and whether that is all."""

    words: Matched
    covered: float  # the share of what it asks, by rarity, that the best match has
    asked: float  # the weight of all its words
    whole: bool


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer to a clause of a query."""

    covered: float  # the share of its words, by their rarity, that the best match has
    weight: float  # of all its words
    near: float | None  # the nearest cosine; None without the model
    margin: float  # and by how much it stands out
    size: int  # memories there
    chinese: bool
    asks: bool


def match_clause(
    connection: Connection, scope: Scope, clause: Clause, scored: int, clauses: int, bound: float
) -> ClauseMatches:
    """Return what matches the words of one of so many clauses, which share what a recall may cost."""
    scope = replace(scope, caps=scope.caps.shared_by(clauses))
    asked = weigh_terms(connection, scope, clause.terms, clause.text)
    words = match_words(connection, scope, asked, scored, bound=bound) if asked.met else Matched([], 0, 0.0)
    return ClauseMatches(words, asked.covered(words.best), asked.asked, asked.whole and words.count < asked.read)


def gather_evidence(clause: Clause, found: ClauseMatches, scope: Scope, near: Nearness | None, number: int) -> Evidence:
    """Return what speaks for an answer to a clause, which is the `number`-th that `near` compares."""
    shelves = [shelf.id for shelf in scope.shelves]
    cosine, margin = near.closeness(number, shelves) if near else (None, 0.0)
    chinese = is_chinese(clause.terms)
    return Evidence(found.covered, found.asked, cosine, margin, scope.size, chinese=chinese, asks=clause.asks)


def best_chance(evidence: list[Evidence]) -> float:
    """Return the chance that some clause is answered."""
    return max((answer_chance(each, evidence) for each in evidence), default=0.0)


def answer_chance(evidence: Evidence, prompt: list[Evidence]) -> float:
    """Return the chance that a clause of a prompt is answered; what is said around a question asks for little."""
    asking = sum(each.asks for each in prompt)
    return scoring.answer_chance(
        evidence.covered,
        evidence.near,
        evidence.margin,
        evidence.size,
        chinese=evidence.chinese,
        stated=bool(asking) and not evidence.asks,
        rivals=asking or len(prompt),
    )


def clause_shares(evidence: list[Evidence]) -> list[float]:
    """Return by how much what each clause finds counts, the best of them 1."""
    asking = any(each.asks for each in evidence)
    shares = [math.sqrt(each.weight) * each.covered * (1.0 if each.asks or not asking else STATED) for each in evidence]
    most = max(shares, default=0.0)
    return [share / most if most else 1.0 for share in shares]


def is_chinese(terms: list[str]) -> bool:
    """Return whether a query is in Chinese, which is cut into pairs, fewer of which are ever met."""
    return any("\u3400" <= term[0] <= "\u9fff" for term in terms)
