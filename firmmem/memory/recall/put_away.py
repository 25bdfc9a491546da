"""What is put away and matches better than what is told: archived, superseded or in quarantine, and never silent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from firmmem.contract import Question
from firmmem.memory.recall.clauses import Clause
from firmmem.memory.recall.evidence import Evidence, match_clause
from firmmem.memory.recall.limits import Caps
from firmmem.memory.recall.scope import Scope
from firmmem.memory.rows.shelves import list_shelves
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

AWAY = ("archived", "superseded", "quarantined")
EXACT = 0.5  # the share of what was asked that a memory must cover
BETTER = 0.1  # and by how much more it must cover than the best that is told
LOOKED = Caps(known=200, counted=2_000, brought=300, filtered=300, walked=0, candidates=100, leading=0, company=0)
SCORED = 20  # of those that match, the ones that are compared


def count_put_away(
    connection: Connection, question: Question, scope: Scope, clauses: Sequence[Clause], told: Sequence[Evidence]
) -> dict[str, int]:
    """Return how many memories of each state that is not searched match better than what is told, by the same filters.

    `told` is what speaks for each clause's answer; empty where nothing is told.
    """
    states = [state for state in AWAY if state == "quarantined" or not question.include_archived]
    found = list_shelves(connection, question.namespace, states, ["", question.branch])
    shelves = [shelf for shelf in found if shelf.size]
    covered = max((each.covered for each in told), default=0.0)
    if not shelves or covered + BETTER >= 1.0:
        return {}
    parameters = scope.parameters | {"shelves": json.dumps([shelf.id for shelf in shelves]), "limit": SCORED}
    away = replace(scope, shelves=shelves, parameters=parameters, caps=LOOKED)
    better: set[int] = set()
    for clause in clauses:
        matched = match_clause(connection, away, clause, SCORED, 1, 0.0)
        least = max(EXACT, covered + BETTER)
        better |= {match.id for match in matched.words.matches if matched.covered * match.own >= least}
    rows = fetch(connection, "states_of", ids=json.dumps(sorted(better))) if better else []
    return {row["state"]: row["count"] for row in rows}
