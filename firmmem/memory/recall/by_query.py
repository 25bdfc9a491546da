"""With a query: candidates by words, and by meaning where the model is on, fused, ranked and held to a floor."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import Question, Recalled
from firmmem.memory.recall.bm25 import Match, Matched, match_words
from firmmem.memory.recall.query_terms import weigh_terms
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import BudgetedReply, memory_budget
from firmmem.memory.rows.shelves import list_shelves
from firmmem.store.statements import Connection, fetch
from firmmem.text.search_words import match_expression

if TYPE_CHECKING:
    from firmmem.memory.recall.vectors import Nearness
    from firmmem.settings import Settings

LARGE = 500  # memories from which the floor for words counts in full
NEAREST = 200  # candidates by meaning alone
LOW, HIGH = -0.1, 0.6  # the cosines that count as a meaning of 0 and of 1


@dataclass(frozen=True)
class Found:
    """The rows of recall.sql for a query, how many match, and what speaks for an answer being among them.

    `uncounted` is set where more match than are counted. `covered` is the share of what was asked that the best match
    by words covers, `near` the nearest cosine among memories in the query's language, `far` among others; both are 0
    without the model.
    """

    rows: list[Any]
    matches: int
    covered: float
    uncounted: bool = False
    near: float = 0.0
    far: float = 0.0


def recall_by_query(
    connection: Connection,
    question: Question,
    scope: Scope,
    terms: list[str],
    near: Nearness | None,
    settings: Settings,
) -> Recalled:
    """Rank what matches the query; say that nothing does where the best is below the floor."""
    found = rank(connection, question, scope, terms, near, settings)
    told = build_reply(question, scope, terms, found, with_model=near is not None)
    return told if told.memories else replace(told, archived=count_archived(connection, question, terms))


def build_reply(question: Question, scope: Scope, terms: list[str], found: Found, *, with_model: bool) -> Recalled:
    """Return what is told of the best rows."""
    enough = is_relevant(found, floor_scale(scope.size), is_chinese(terms), with_model=with_model)
    core = sum(shelf.memories["core"] for shelf in scope.shelves)
    if not found.rows or not (enough or question.explain):
        return Recalled((), nearest=bool(found.rows), core=core)
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
        notes=notes,
    )


def rank(
    connection: Connection,
    question: Question,
    scope: Scope,
    terms: list[str],
    near: Nearness | None,
    settings: Settings,
) -> Found:
    """Return the best rows for a query."""
    asked = weigh_terms(connection, scope, terms, question.query)
    scored = max(scope.caps.scored, question.limit)
    strength = settings.prior_strength
    bound = scoring.bound_factor(0.0, strength)
    least = bound * (scoring.bound_factor(settings.other_goal, strength) if scope.goal else 1.0)
    words = Matched([], 0, 0.0)
    if asked.met:
        words = match_words(connection, scope, asked, scored, bound=bound * least if near is None else 0.0)
    covered = asked.covered(words.best)
    told = {**scope.parameters, "prior_strength": strength}
    if near is None:
        told |= {"candidates": json.dumps(words.matches), "least": least}
        rows = fetch(connection, "recall", "candidate_by_words", **told)
        return Found(rows, words.count, covered, not asked.whole or words.count >= asked.read)
    candidates = fuse_candidates(words.matches, near, scope)
    told |= {"candidates": json.dumps(candidates), "bound": scoring.prior_bound(strength)}
    rows = fetch(connection, "recall", "candidate_by_meaning", **told)
    uncounted = not asked.whole or len(words.matches) >= scored
    return Found(rows, max(len(rows), len(words.matches)), covered, uncounted, *nearest_cosines(candidates))


def fuse_candidates(matches: list[Match], near: Nearness, scope: Scope) -> list[tuple[int, float, float | None, int]]:
    """Return candidates by words and by meaning: id, relevance of words, meaning 0..1, whether foreign.

    A memory that has no vector yet is taken to mean as much as others that match the words, so that it ranks neither
    above nor below them for that.
    """
    by_words = {match.id: match.relevance for match in matches}
    ids = dict.fromkeys([*by_words, *near.nearest([shelf.id for shelf in scope.shelves], NEAREST)])
    found = []
    for memory in ids:
        cosine, foreign = near.of(memory)
        meaning = None if cosine is None else scoring.clamp_unit((cosine - LOW) / (HIGH - LOW))
        found.append((memory, by_words.get(memory, 0.0), meaning, foreign))
    known = [meaning for _, words, meaning, foreign in found if words and meaning is not None and not foreign]
    usual = sum(known) / len(known) if known else None
    return [
        (memory, words, usual if meaning is None else meaning, foreign) for memory, words, meaning, foreign in found
    ]


def nearest_cosines(candidates: list[tuple[int, float, float | None, int]]) -> tuple[float, float]:
    """Return the nearest cosine among memories in the query's language, and among others."""
    cosines = [0.0, 0.0]
    for _, _, meaning, foreign in candidates:
        if meaning is not None:
            cosines[foreign] = max(cosines[foreign], LOW + meaning * (HIGH - LOW))
    return cosines[0], cosines[1]


def is_relevant(found: Found, scale: float, chinese: bool, *, with_model: bool) -> bool:
    """Return whether the best that was found answers the query at all; the floors are measured."""
    words_floor = scale * (scoring.WORDS_FLOOR_ZH if chinese else scoring.WORDS_FLOOR)
    if not with_model:
        return found.covered >= words_floor
    floor = scoring.FLOOR_ZH if chinese else scoring.FLOOR
    return (
        found.covered + found.near >= floor
        or found.covered >= scoring.WORDS_ENOUGH * words_floor
        or found.near >= scoring.NEAR
        or found.far >= scoring.FAR
    )


def floor_scale(size: int) -> float:
    """Return by how much the floor for words counts: in a small store words seldom meet by chance."""
    return min(1.0, math.log1p(size) / math.log1p(LARGE))


def is_chinese(terms: list[str]) -> bool:
    """Return whether a query is in Chinese, which is cut into pairs, fewer of which are ever met."""
    return any("\u3400" <= term[0] <= "\u9fff" for term in terms)


def count_archived(connection: Connection, question: Question, terms: list[str]) -> int:
    """Return how many archived memories match, counted up to a hundred."""
    if question.include_archived or not terms:
        return 0
    old = list_shelves(connection, question.namespace, ["archived", "superseded"], ["", question.branch])
    either = " OR ".join(match_expression(term) for term in terms)
    probes = [[*shelf.rows, either] for shelf in old if shelf.size]
    return sum(row["frequency"] for row in fetch(connection, "frequency", probes=json.dumps(probes), most=100))
