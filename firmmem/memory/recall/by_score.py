"""Without a query: what matters now, firmest tier first and each by FinalScore, exact without a scan."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import TIERS, Question, Recalled, Tier
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import BudgetedReply, memory_budget
from firmmem.memory.rows.ranking_keys import DAY, EPOCH, RANK, keys_are_current
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

FILTERED = 10_000  # rows up to which a filter's own index is walked
FOR_OTHERS = 3  # the share of the limit, a third, that many core facts leave to goals and what matters now
POPS = 2_000  # rows tried in the order of score for a filter that lets many through
SOME_MORE = "more memories pass the filters than are shown: raise limit or token_budget"


def recall_by_score(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled:
    """Disclose by tier, firmest first and each by FinalScore, until the limit or the budget is reached."""
    told = BudgetedReply(memory_budget(question), question.explain)
    left_out = count_by_tier(question, scope)
    notes: tuple[str, ...] = ()
    for tier in sorted(question.tiers, key=RANK.__getitem__):
        room = question.limit - len(told.memories)
        if tier == "core" and has_others(question, scope):
            room -= question.limit // FOR_OTHERS
        if not any(shelf.memories[tier] for shelf in scope.shelves) or (room <= 0 and not question.filtered):
            continue
        rows = top_of_tier(connection, question, scope, tier, room + 1, settings)  # one more shows that there is more
        fitting = told.take(rows[:room])
        if not fitting or (len(rows) > room and tier != "core"):
            notes = (SOME_MORE,) if question.filtered else ()
            break
    for memory in told.memories:
        if memory.tier in left_out:
            left_out[memory.tier] -= 1
    left_out = {tier: count for tier, count in left_out.items() if count > 0}
    return Recalled(tuple(told.memories), left_out, notes=(*told.notes, *notes))


def has_others(question: Question, scope: Scope) -> bool:
    """Return whether there is anything but core facts to show."""
    return any(shelf.memories[tier] for shelf in scope.shelves for tier in question.tiers if tier != "core")


def count_by_tier(question: Question, scope: Scope) -> dict[str, int]:
    """Return how many memories of each tier asked for lie there; of what passes a filter there is no count."""
    if question.filtered:
        return {}
    return {tier: sum(shelf.memories[tier] for shelf in scope.shelves) for tier in TIERS if tier in question.tiers}


def top_of_tier(
    connection: Connection, question: Question, scope: Scope, tier: Tier, room: int, settings: Settings
) -> list[Any]:
    """Return the best rows of one tier by the plain product."""
    parameters = scope.parameters | {"tiers": json.dumps([tier]), "limit": room, "prior_strength": 1.0}
    if tier == "core" and not question.filtered:
        return fetch(connection, "recall", "candidate_by_core", **parameters)
    candidate = choose_candidates(connection, question, scope, settings)
    if candidate in ("candidate_by_stream", "candidate_by_goal"):
        parameters |= {
            "first_stream": RANK[tier] * 1000,
            "last_stream": RANK[tier] * 1000 + 999,
            "epoch": EPOCH,
            "day": (scope.parameters["now"] - EPOCH) / DAY,
            "pops": POPS if question.filtered else scope.size + 1,
            "log_other_goal": math.log(max(scoring.SMALLEST, settings.other_goal)),
        }
    return fetch(connection, "recall", candidate, **parameters)


def choose_candidates(connection: Connection, question: Question, scope: Scope, settings: Settings) -> str:
    """Return the way to find candidates without a query: by a filter that lets few through, else by streams."""
    if not keys_are_current(connection, settings):
        return "candidate_by_shelf"
    if question.tags and count_filtered(connection, "count_by_tag", scope) <= FILTERED:
        return "candidate_by_tag"
    if question.dated and count_filtered(connection, "count_by_date", scope) <= FILTERED:
        return "candidate_by_date"
    return "candidate_by_goal" if scope.goal > 0 else "candidate_by_stream"


def count_filtered(connection: Connection, name: str, scope: Scope) -> int:
    """Return how many rows a filter lets through, counted just past the number from which that matters."""
    [row] = fetch(connection, name, **scope.parameters, most=FILTERED)
    return int(row["count"])
