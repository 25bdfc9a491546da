"""With a query: candidates by words, and by meaning where the model is on, fused, ranked and held to a floor."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from firmmem import scoring
from firmmem.contract import Question, Recalled
from firmmem.database import Connection, fetch
from firmmem.memory.budget import room_of, within
from firmmem.memory.keys import RANK
from firmmem.memory.place import Place
from firmmem.memory.shelves import shelves
from firmmem.memory.terms import weighted
from firmmem.memory.vectors import Nearness
from firmmem.settings import Settings
from firmmem.words import match

K1 = 1.2  # BM25's usual damping of repeated words
B = 0.75  # and of long texts
SCORED = 500  # candidates by words that are scored: the most relevant
NEAREST = 200  # candidates by meaning alone
LOW, HIGH = -0.1, 0.6  # the cosines that count as a meaning of 0 and of 1


@dataclass(frozen=True)
class Found:
    """The rows of recall.sql for a query, how many match, and how near the best of them is."""

    rows: list[Any]
    matches: int
    evidence: float
    floor: float

    @property
    def relevant(self) -> bool:
        """Whether what was found answers the query at all."""
        return self.evidence >= self.floor


def by_query(
    connection: Connection,
    question: Question,
    place: Place,
    terms: list[str],
    near: Nearness | None,
    settings: Settings,
) -> Recalled:
    """Rank what matches the query; say that nothing does where the best is below the floor."""
    found = ranked(connection, question, place, terms, near, settings)
    core = sum(shelf.memories["core"] for shelf in place.shelves)
    if not found.rows or not (found.relevant or question.explain):
        return Recalled((), below=found.evidence, archived=archived(connection, question, terms), core=core)
    told, left_out, notes = within(found.rows, room_of(question), explain=question.explain)
    told.sort(key=lambda memory: RANK[memory.tier])
    if not found.relevant:
        notes = (*notes, f"nothing relevant: evidence {found.evidence:.2f}, floor {found.floor:.2f}; these are nearest")
    return Recalled(
        tuple(told),
        left_out,
        more=max(0, found.matches - len(found.rows)),
        core=core - sum(memory.tier == "core" for memory in told),
        relevant=found.relevant,
        notes=notes,
    )


def ranked(
    connection: Connection,
    question: Question,
    place: Place,
    terms: list[str],
    near: Nearness | None,
    settings: Settings,
) -> Found:
    """Return the best rows for a query."""
    asked = weighted(connection, place, terms)
    parameters: dict[str, Any] = {
        **place.parameters,
        "bound": scoring.prior_bound(settings.prior_strength),
        "prior_strength": settings.prior_strength,
    }
    words = sum(shelf.words for shelf in place.shelves)
    matching: dict[str, Any] = {
        "hits": json.dumps(asked.hits),
        "k1": K1,
        "b": B,
        "mean_length": max(1.0, words / max(1, place.size)),
        "scored": max(SCORED, question.limit),
    }
    if near is None:
        rows = fetch(connection, "recall", "candidate_by_words", **parameters, **matching) if asked.hits else []
        best = rows[0]["best"] if rows else 0.0
        return Found(rows, rows[0]["matches"] if rows else 0, asked.covered(best), floor_of(terms, near))
    matched = fetch(connection, "matched", **place.parameters, **matching) if asked.hits else []
    candidates = fusible(matched, near, place)
    rows = fetch(connection, "recall", "candidate_by_meaning", **parameters, candidates=json.dumps(candidates))
    covered = asked.covered(matched[0]["bm25"] if matched else 0.0)
    return Found(rows, max(len(rows), len(matched)), evidence(covered, candidates), floor_of(terms, near))


def fusible(matched: list[Any], near: Nearness, place: Place) -> list[tuple[int, float, float | None, int]]:
    """Return candidates by words and by meaning: id, share of the best BM25, meaning 0..1, whether foreign."""
    best = matched[0]["bm25"] if matched else 1.0
    by_words = {row["id"]: row["bm25"] / best for row in matched}
    ids = dict.fromkeys([*by_words, *near.nearest([shelf.id for shelf in place.shelves], NEAREST)])
    found = []
    for memory in ids:
        cosine, foreign = near.of(memory)
        meaning = None if cosine is None else scoring.unit((cosine - LOW) / (HIGH - LOW))
        found.append((memory, by_words.get(memory, 0.0), meaning, foreign))
    return found


def evidence(covered: float, candidates: list[tuple[int, float, float | None, int]]) -> float:
    """Return how much speaks for an answer being there: words covered, and the nearest cosine."""
    cosines = {0: 0.0, 1: 0.0}
    for _, _, meaning, foreign in candidates:
        if meaning is not None:
            cosines[foreign] = max(cosines[foreign], LOW + meaning * (HIGH - LOW))
    # No word covers a text of another language: there the cosine alone must do, and a smaller one says as much.
    enough = cosines[0] >= scoring.NEAR or cosines[1] >= scoring.FOREIGN_FLOOR
    return max(covered + cosines[0], 1.0 if enough else 0.0)


def floor_of(terms: list[str], near: Nearness | None) -> float:
    """Return the evidence below which an answer is noise; Chinese is cut into pairs, fewer of which are ever met."""
    chinese = any("\u3400" <= term[0] <= "\u9fff" for term in terms)
    if near is None:
        return scoring.WORDS_FLOOR_ZH if chinese else scoring.WORDS_FLOOR
    return scoring.FLOOR_ZH if chinese else scoring.FLOOR


def archived(connection: Connection, question: Question, terms: list[str]) -> int:
    """Return how many archived memories match, counted up to a hundred."""
    if question.include_archived or not terms:
        return 0
    old = shelves(connection, question.namespace, ["archived", "superseded"], ["", question.branch])
    either = " OR ".join(match(term) for term in terms)
    probes = [[*shelf.rows, either] for shelf in old if shelf.size]
    return sum(row["frequency"] for row in fetch(connection, "frequency", probes=json.dumps(probes), most=100))
