"""Without a query: what matters now, firmest tier first and each by FinalScore, exact without a scan."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import TIERS, Question, Recalled, Tier
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import LINE_TOKENS, BudgetedReply, memory_budget
from firmmem.memory.rows.ranking_keys import DAY, EPOCH, RANK, keys_are_current
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

FILTERED = 10_000  # rows up to which a filter's own index is walked
FOR_OTHERS = 3  # the share of a limit, a third, that many core facts leave to goals and what matters now
POPS = 2_000  # rows tried in the order of score for a filter that lets many through
LOOSER: tuple[Tier, ...] = TIERS[1:]


def recall_by_score(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled:
    """Disclose by tier, firmest first and each by FinalScore, until the limit or the budget is reached."""
    reply = BudgetedReply(memory_budget(question), question.explain)
    limit = question.limit or reply.budget // LINE_TOKENS + 1
    stored = count_by_tier(question, scope)
    notes: tuple[str, ...] = ()
    cut_by = ""
    for tier in disclosure_order(question):
        room = limit - len(reply.memories)
        if tier == "core" and question.limit and not question.dated:
            room = min(room, leave_for_others(question, scope))
        if not any(shelf.memories[tier] for shelf in scope.shelves) or (room <= 0 and not question.filtered):
            continue
        rows = top_of_tier(connection, question, scope, tier, room + 1, settings)  # one more shows that there is more
        fitting = reply.take(rows[:room])
        if not fitting or (len(rows) > room and tier != "core"):
            cut_by = "limit" if fitting else "token_budget"
            notes = (f"more memories pass the filters than are shown: raise {cut_by}",) if question.filtered else ()
            break
    for memory in reply.memories:
        if memory.tier in stored:
            stored[memory.tier] -= 1
    left_out = {tier: count for tier, count in stored.items() if count > 0}
    return Recalled(
        tuple(reply.memories), left_out, cut_by=(cut_by or "limit") if left_out else "", notes=(*reply.notes, *notes)
    )


def disclosure_order(question: Question) -> list[Tier]:
    """Return the tiers asked for, firmest first; core facts come last where a span of time is asked for."""
    return sorted(question.tiers, key=lambda tier: (question.dated and tier == "core", RANK[tier]))


def leave_for_others(question: Question, scope: Scope) -> int:
    """Return how many core facts a limit has room for: a third of it is left to others, where there are any."""
    others = any(shelf.memories[tier] for shelf in scope.shelves for tier in question.tiers if tier != "core")
    limit = question.limit or scope.size
    return limit - limit // FOR_OTHERS if question.limit and others else limit


def count_by_tier(question: Question, scope: Scope) -> dict[str, int]:
    """Return how many memories of each tier asked for lie there; of what passes a filter there is no count."""
    if question.filtered:
        return {}
    return {tier: sum(shelf.memories[tier] for shelf in scope.shelves) for tier in TIERS if tier in question.tiers}


def top_of_tier(
    connection: Connection, question: Question, scope: Scope, tier: Tier, room: int, settings: Settings
) -> list[Any]:
    """Return the best rows of one tier by the plain product."""
    if tier == "core" and not question.filtered:
        return core_facts(connection, scope, room)
    return top_by_score(connection, question, scope, (tier,), room, settings)


def core_facts(connection: Connection, scope: Scope, most: int) -> list[Any]:
    """Return the first core facts."""
    parameters = scope.parameters | {"limit": most, "prior_strength": 1.0}
    return fetch(connection, "recall", "candidate_by_core", **parameters)


def top_by_score(
    connection: Connection, question: Question, scope: Scope, tiers: Sequence[Tier], room: int, settings: Settings
) -> list[Any]:
    """Return the best rows of tiers that follow each other by the plain product."""
    parameters = scope.parameters | {"tiers": json.dumps(tiers), "limit": room, "prior_strength": 1.0}
    candidate = choose_candidates(connection, question, scope, settings)
    if candidate in ("candidate_by_stream", "candidate_by_goal"):
        parameters |= {
            "first_stream": RANK[tiers[0]] * 1000,
            "last_stream": RANK[tiers[-1]] * 1000 + 999,
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
