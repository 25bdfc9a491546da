"""Tiers that move: a draft firms up by trust and reviews, a validated memory that lost its trust is a draft again."""

from dataclasses import replace
from typing import Any

from firmmem.contract import Tier
from firmmem.database import Connection, fetch
from firmmem.memory.chunks import briefly
from firmmem.memory.keys import CHUNK, Life
from firmmem.memory.ledger import KEPT, retier
from firmmem.settings import Settings


def promotable(connection: Connection, settings: Settings, *, now: float, most: int = CHUNK) -> list[Any]:
    """Return drafts that have earned to be validated."""
    return fetch(
        connection,
        "promotable",
        trust=settings.promote_trust,
        reviews=settings.promote_reviews,
        undone_since=now - KEPT,
        chunk=most,
    )


def demotable(connection: Connection, settings: Settings, *, now: float, most: int = CHUNK) -> list[Any]:
    """Return validated memories that have lost their trust."""
    return fetch(connection, "demotable", trust=settings.demote_trust, undone_since=now - KEPT, chunk=most)


def promote_chunk(connection: Connection, settings: Settings, *, run_id: int, now: float) -> int:
    """Make drafts validated that have earned it, in a transaction; return how many."""
    rows = promotable(connection, settings, now=now)
    return shifted(connection, rows, "validated", "earned", run_id=run_id, now=now)


def demote_chunk(connection: Connection, settings: Settings, *, run_id: int, now: float) -> int:
    """Make validated memories drafts that have lost their trust, in a transaction; return how many."""
    rows = demotable(connection, settings, now=now)
    return shifted(connection, rows, "draft", "distrusted", run_id=run_id, now=now)


def shifted(connection: Connection, rows: list[Any], tier: Tier, cause: str, *, run_id: int, now: float) -> int:
    """Move memories to a tier; their trust, reviews and dates stay."""
    done = 0
    for row in briefly(rows):
        reason = f"trust {row['trust']:.2f}, {row['recall_count']} reviews"
        retier(connection, row, replace(Life.of(row), tier=tier), now=now, cause=cause, reason=reason, run_id=run_id)
        done += 1
    return done
