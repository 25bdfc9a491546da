"""Without a query: what matters now, firmest tier first and each by FinalScore, exact without a scan."""

import json
import math
from typing import Any

from firmmem import scoring
from firmmem.contract import TIERS, Question, Recalled, Tier
from firmmem.memory.recall.scope import Place
from firmmem.memory.recall.token_budget import Told, room_of
from firmmem.memory.rows.ranking_keys import DAY, EPOCH, RANK, trusted
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch

FILTERED = 10_000  # rows up to which a filter's own index is walked
FOR_OTHERS = 3  # the share of the limit, a third, that many core facts leave to goals and what matters now
POPS = 2_000  # rows tried in the order of score for a filter that lets many through
SOME_MORE = "more memories pass the filters than are shown: raise limit or token_budget"


def by_score(connection: Connection, question: Question, place: Place, settings: Settings) -> Recalled:
    """Disclose by tier, firmest first and each by FinalScore, until the limit or the budget is reached."""
    told = Told(room_of(question), question.explain)
    left_out = stored(question, place)
    notes: tuple[str, ...] = ()
    for tier in sorted(question.tiers, key=RANK.__getitem__):
        room = question.limit - len(told.memories)
        if tier == "core" and others(question, place):
            room -= question.limit // FOR_OTHERS
        if not any(shelf.memories[tier] for shelf in place.shelves) or (room <= 0 and not question.filtered):
            continue
        rows = of_tier(connection, question, place, tier, room + 1, settings)  # one more shows that there is more
        fitting = told.take(rows[:room])
        if not fitting or (len(rows) > room and tier != "core"):
            notes = (SOME_MORE,) if question.filtered else ()
            break
    for memory in told.memories:
        if memory.tier in left_out:
            left_out[memory.tier] -= 1
    left_out = {tier: count for tier, count in left_out.items() if count > 0}
    return Recalled(tuple(told.memories), left_out, notes=(*told.notes, *notes))


def others(question: Question, place: Place) -> bool:
    """Return whether there is anything but core facts to show."""
    return any(shelf.memories[tier] for shelf in place.shelves for tier in question.tiers if tier != "core")


def stored(question: Question, place: Place) -> dict[str, int]:
    """Return how many memories of each tier asked for lie there; of what passes a filter there is no count."""
    if question.filtered:
        return {}
    return {tier: sum(shelf.memories[tier] for shelf in place.shelves) for tier in TIERS if tier in question.tiers}


def of_tier(
    connection: Connection, question: Question, place: Place, tier: Tier, room: int, settings: Settings
) -> list[Any]:
    """Return the best rows of one tier by the plain product."""
    parameters = place.parameters | {"tiers": json.dumps([tier]), "limit": room, "prior_strength": 1.0}
    if tier == "core" and not question.filtered:
        return fetch(connection, "recall", "candidate_by_core", **parameters)
    candidate = way(connection, question, place, settings)
    if candidate in ("candidate_by_stream", "candidate_by_goal"):
        parameters |= {
            "first_stream": RANK[tier] * 1000,
            "last_stream": RANK[tier] * 1000 + 999,
            "epoch": EPOCH,
            "day": (place.parameters["now"] - EPOCH) / DAY,
            "pops": POPS if question.filtered else place.size + 1,
            "log_other_goal": math.log(max(scoring.SMALLEST, settings.other_goal)),
        }
    return fetch(connection, "recall", candidate, **parameters)


def way(connection: Connection, question: Question, place: Place, settings: Settings) -> str:
    """Return the way to find candidates without a query: by a filter that lets few through, else by streams."""
    if not trusted(connection, settings):
        return "candidate_by_shelf"
    if question.tags and count(connection, "count_by_tag", place) <= FILTERED:
        return "candidate_by_tag"
    if question.dated and count(connection, "count_by_date", place) <= FILTERED:
        return "candidate_by_date"
    return "candidate_by_goal" if place.goal > 0 else "candidate_by_stream"


def count(connection: Connection, name: str, place: Place) -> int:
    """Return how many rows a filter lets through, counted just past the number from which that matters."""
    [row] = fetch(connection, name, **place.parameters, most=FILTERED)
    return int(row["count"])
