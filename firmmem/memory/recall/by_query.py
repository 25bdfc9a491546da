"""With a query: candidates by words, and by meaning where the model is on, fused, ranked and held to a floor."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import Question, Recalled
from firmmem.memory.recall.bm25 import drop_hopeless
from firmmem.memory.recall.clauses import Clause
from firmmem.memory.recall.evidence import Evidence, best_chance, clause_shares, gather_evidence, match_clause
from firmmem.memory.recall.matches import Match
from firmmem.memory.recall.put_away import count_put_away
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import BudgetedReply, memory_budget
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.memory.recall.vectors import Nearness
    from firmmem.settings import Settings

NEAREST = 200  # candidates by meaning alone
LOW, HIGH = -0.1, 0.6  # the cosines that count as a meaning of 0 and of 1

Candidate = tuple[int, float, float | None, int]


@dataclass(frozen=True)
class Found:
    """The rows of recall.sql for a query, how many match, and what speaks for an answer to each clause among them.

    `uncounted` is set where more match than are counted.
    """

    rows: list[Any]
    matches: int
    evidence: list[Evidence]
    uncounted: bool = False


def recall_by_query(
    connection: Connection,
    question: Question,
    scope: Scope,
    clauses: list[Clause],
    near: Nearness | None,
    settings: Settings,
) -> Recalled:
    """Rank what matches the query; say that nothing does where the best is below the floor."""
    found = rank(connection, question, scope, clauses, near, settings)
    told = build_reply(question, scope, found, settings)
    away = count_put_away(connection, question, scope, clauses, found.evidence if told.memories else ())
    return replace(told, put_away=away) if away else told


def build_reply(question: Question, scope: Scope, found: Found, settings: Settings) -> Recalled:
    """Return what is told of the best rows."""
    chance = best_chance(found.evidence)
    enough = chance >= settings.silence
    core = sum(shelf.memories["core"] for shelf in scope.shelves)
    if not found.rows or not (enough or question.explain):
        return Recalled((), nearest=bool(found.rows), chance=chance, core=core)
    told = BudgetedReply(memory_budget(question), question.explain)
    told.take(found.rows)
    notes = told.notes
    if not enough:
        notes = (*notes, "nothing is relevant enough to be told without explain=true; these come nearest")
    return Recalled(
        tuple(sorted(told.memories, key=lambda memory: memory.tier != "core")),  # then as they rank
        told.left_out,
        more=max(0, found.matches - len(found.rows)),
        uncounted=found.uncounted,
        core=core - sum(memory.tier == "core" for memory in told.memories),
        relevant=enough,
        cut_by=" and ".join(
            (["token_budget"] if told.left_out else []) + (["limit"] if found.matches > len(found.rows) else [])
        ),
        chance=chance,
        notes=notes,
    )


def rank(
    connection: Connection,
    question: Question,
    scope: Scope,
    clauses: list[Clause],
    near: Nearness | None,
    settings: Settings,
) -> Found:
    """Return the best rows for a query: those that are best for the clause that asks for them."""
    strength = settings.prior_strength
    bound = scoring.bound_factor(0.0, strength)
    least = bound * (scoring.bound_factor(settings.other_goal, strength) if scope.goal else 1.0)
    scored = max(scope.caps.shared_by(len(clauses)).scored, question.limit)
    drop_below = bound * least if near is None else 0.0
    alone = drop_below if len(clauses) == 1 else 0.0
    found = [match_clause(connection, scope, clause, scored, len(clauses), alone) for clause in clauses]
    evidence = [
        gather_evidence(clause, each, scope, near, number)
        for number, (clause, each) in enumerate(zip(clauses, found, strict=True))
    ]
    shares = clause_shares(evidence)
    told = {**scope.parameters, "prior_strength": strength}
    uncounted = not all(each.whole for each in found)
    if near is None:
        combined = combine_matches(shares, [each.words.matches for each in found])
        matches = drop_hopeless(combined, question.limit, drop_below)
        told |= {"candidates": json.dumps(matches), "least": least}
        rows = fetch(connection, "recall", "candidate_by_words", **told)
        return Found(rows, max(each.words.count for each in found), evidence, uncounted)
    by_clause = [
        fuse_candidates(each.words.matches, near, scope, number, NEAREST // len(found))
        for number, each in enumerate(found)
    ]
    candidates = combine_candidates(shares, by_clause)
    told |= {"candidates": json.dumps(candidates), "bound": scoring.prior_bound(strength)}
    rows = fetch(connection, "recall", "candidate_by_meaning", **told)
    return Found(rows, max(len(rows), *(len(each.words.matches) for each in found)), evidence, uncounted)


def combine_matches(shares: list[float], found: list[list[Match]]) -> list[Match]:
    """Return each memory once, as the clause that asks for it most has it."""
    if len(found) == 1:
        return found[0]
    best: dict[int, Match] = {}
    for share, matches in zip(shares, found, strict=True):
        for match in matches:
            relevance = share * match.relevance
            if match.id not in best or relevance > best[match.id].relevance:
                best[match.id] = Match(match.id, relevance, share * match.own)
    return [*best.values()]


def combine_candidates(shares: list[float], found: list[list[Candidate]]) -> list[Candidate]:
    """Return each candidate once, as the clause that asks for it most has it."""
    if len(found) == 1:
        return found[0]
    best: dict[int, tuple[float, Candidate]] = {}
    for share, candidates in zip(shares, found, strict=True):
        for memory, words, meaning, foreign in candidates:
            scaled = (memory, share * words, None if meaning is None else share * meaning, foreign)
            relevance = scoring.fuse_relevance(*scaled[1:])
            if memory not in best or relevance > best[memory][0]:
                best[memory] = relevance, scaled
    return [candidate for _, candidate in best.values()]


def fuse_candidates(matches: list[Match], near: Nearness, scope: Scope, clause: int, most: int) -> list[Candidate]:
    """Return a clause's candidates by words and by meaning: id, relevance of words, meaning 0..1, whether foreign.

    A memory that has no vector yet is taken to mean as much as others that match the words, so that it ranks neither
    above nor below them for that.
    """
    by_words = {match.id: match.relevance for match in matches}
    ids = dict.fromkeys([*by_words, *near.nearest([shelf.id for shelf in scope.shelves], most, clause)])
    found = []
    for memory in ids:
        cosine, foreign = near.of(memory, clause)
        meaning = None if cosine is None else scoring.clamp_unit((cosine - LOW) / (HIGH - LOW))
        found.append((memory, by_words.get(memory, 0.0), meaning, foreign))
    known = [meaning for _, words, meaning, foreign in found if words and meaning is not None and not foreign]
    usual = sum(known) / len(known) if known else None
    return [
        (memory, words, usual if meaning is None else meaning, foreign) for memory, words, meaning, foreign in found
    ]
