"""The line of a memory's life: when it was written and reviewed, what was left each time, what is left now."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmmem import scoring
from firmmem.contract import Tier
from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.review import remaining
from firmmem.memory.rows.ranking_keys import DAY, Life, wanted_keying
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import to_one_line

if TYPE_CHECKING:
    from firmmem.settings import Settings


@dataclass(frozen=True)
class Point:
    """A review: when, what was left just before, and how firmly the memory held after."""

    at: float
    decay: float
    consolidation: float


@dataclass(frozen=True)
class Lifeline:
    """One memory's life up to `now`, in seconds since 1970 UTC; half-lives are days."""

    id: int
    tier: Tier
    state: str
    summary: str
    created_at: float
    reviews: tuple[Point, ...]
    known_from: float  # where the log of reviews begins: the writing, or the oldest review it has
    reviewed_at: float
    half_life: float
    consolidation: float
    recall_count: int
    now: float
    decay: float

    def reaches(self, decay: float) -> float:
        """Return when, without another review, so much is left."""
        return self.reviewed_at + self.half_life * math.log(1.0 / decay) * DAY

    def left(self, at: float) -> float:
        """Return what was left at a time since the log begins, or will be, without another review."""
        for start, review in self.past():
            if at < review.at:
                return fade(at - start, review.at - start, review.decay)
        return scoring.decay((at - self.reviewed_at) / DAY, self.half_life)

    def past(self) -> Iterator[tuple[float, Point]]:
        """Yield each logged review with the time from which the memory faded until it."""
        start = self.known_from
        for review in self.reviews:
            if review.at > start:
                yield start, review
            start = review.at


def fade(after: float, whole: float, decay: float) -> float:
    """Return what is left some time into a stretch at whose end so much was left: an exponential between."""
    return float(max(decay, scoring.SMALLEST) ** (max(0.0, after) / whole))


def read_lifeline(
    connection: Connection, memory_id: int, settings: Settings, *, namespace: str, now: float
) -> Lifeline:
    """Return a memory's life, as far as the log of its reviews goes back.

    Raises:
        InvalidArgumentError: There is no such memory in the namespace.
    """
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=namespace)
    if not rows:
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}.")
    row = rows[0]
    life = Life.of(row)
    reviews = tuple(Point(*each) for each in fetch(connection, "reviews", memory=memory_id))
    whole = len(reviews) >= life.recall_count
    base = wanted_keying(settings).base(life.tier)
    return Lifeline(
        memory_id,
        life.tier,
        row["state"],
        to_one_line(row["summary"]),
        row["created_at"],
        reviews,
        row["created_at"] if whole else reviews[0].at if reviews else life.reviewed_at,
        life.reviewed_at,
        scoring.effective_half_life(base, life.consolidation, life.recall_count, settings.consolidation_base),
        life.consolidation,
        life.recall_count,
        now,
        remaining(life, settings, at=now),
    )
