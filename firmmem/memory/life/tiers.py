"""Tiers that move: a draft firms up by trust and reviews, a validated memory that lost its trust is a draft again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import Tier
from firmmem.memory.rows.moves import KEPT, write_tier
from firmmem.memory.rows.ranking_keys import Life
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings


def has_earned_promotion(row: Any, settings: Settings) -> bool:
    """Return whether a memory is a draft that has earned to be validated."""
    trusted = bool(row["trust"] >= settings.promote_trust)
    return row["tier"] == "draft" and trusted and bool(row["recall_count"] >= settings.promote_reviews)


def has_lost_trust(row: Any, settings: Settings) -> bool:
    """Return whether a memory is a validated one that has lost its trust."""
    return row["tier"] == "validated" and bool(row["trust"] < settings.demote_trust)


@dataclass(frozen=True)
class Shift:
    """A move to another tier: the statements that look for it, whether a row is due, and what it becomes and why."""

    shelves: str
    rows: str
    due: Callable[[Any, Settings], bool]
    tier: Tier
    cause: str


PROMOTION = Shift("promotable_shelves", "promotable", has_earned_promotion, "validated", "earned")
DEMOTION = Shift("demotable_shelves", "demotable", has_lost_trust, "draft", "distrusted")


def shift_bounds(settings: Settings, *, now: float) -> dict[str, Any]:
    """Return what the statements that look for shifts are given."""
    return {
        "promote_trust": settings.promote_trust,
        "demote_trust": settings.demote_trust,
        "undone_since": now - KEPT,
    }


def find_shiftable(rows: Iterable[Any], shift: Shift, settings: Settings) -> list[int]:
    """Return the ids of those that are due, except what a person undid."""
    return [row["id"] for row in rows if shift.due(row, settings) and not row["undone"]]


def shift_tier(
    connection: Connection, memory_id: int, shift: Shift, settings: Settings, *, run_id: int, now: float
) -> int:
    """Move a memory to another tier if it still is due, in a transaction; its trust, reviews and dates stay."""
    for row in fetch(connection, "memory_active", id=memory_id):
        if shift.due(row, settings):
            life = replace(Life.of(row), tier=shift.tier)
            reason = f"trust {row['trust']:.2f}, {row['recall_count']} reviews"
            write_tier(connection, row, life, now=now, cause=shift.cause, reason=reason, run_id=run_id)
            return 1
    return 0
