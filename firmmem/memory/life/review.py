"""Reviews: a recall counts once the memory had faded measurably, so that showing a memory can't make it show more."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio

from firmmem import scoring
from firmmem.contract import Author, Question, Recalled, RecalledMemory
from firmmem.errors import ReadOnlyFileError, UnavailableError
from firmmem.memory.rows.ranking_keys import DAY, Life, save_life, wanted_keying
from firmmem.memory.rows.sessions import enter_session
from firmmem.memory.rows.shelves import normalise_label
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings
    from firmmem.store.database import Database

RELEVANT = 0.5  # the share of the best relevance from which a result counts as what was looked for
LOGGED = 64  # reviews that the log keeps of one memory, the latest
PATIENCE = 0.25  # seconds that a recall waits for the reviews of the one before it


@dataclass
class Reviews:
    """What recalls leave to be noted, folded into the file off the reply's path.

    Reviews are folded as soon as the reply is on its way, so that the next recall ranks by them; mere exposures
    wait until `flush`.
    """

    database: Database
    _due: list[tuple[int, float]] = field(default_factory=list)
    _shown: dict[int, tuple[int, float]] = field(default_factory=dict)
    _callers: list[tuple[str, Author, float]] = field(default_factory=list)
    _wake: anyio.Event = field(default_factory=anyio.Event)
    _folded: anyio.Event = field(default_factory=anyio.Event)
    _folding: anyio.Lock = field(default_factory=anyio.Lock)

    def note(self, question: Question, recalled: Recalled, *, now: float) -> None:
        """Queue what a recall means for the memories that it returned."""
        for memory in recalled.memories:
            times, _ = self._shown.get(memory.id, (0, now))
            self._shown[memory.id] = (times + 1, now)
        reviewed = reviewed_memories(question, recalled.memories)
        if reviewed:
            self._due += [(memory.id, now) for memory in reviewed]
            if self._folded.is_set():
                self._folded = anyio.Event()
            self._wake.set()

    def note_session(self, namespace: str, author: Author, *, now: float) -> None:
        """Queue that a caller's session goes on: its first and its last call until the next flush."""
        caller = (normalise_label(namespace), author)
        if [each[:2] for each in self._callers[-2:]] == [caller, caller]:
            self._callers.pop()
        self._callers.append((*caller, now))

    async def settled(self) -> None:
        """Wait, not for long, until the reviews of earlier recalls are in the file."""
        if self._due:
            with anyio.move_on_after(PATIENCE):
                await self._folded.wait()

    async def keep_folding(self) -> None:
        """Fold reviews as they come, for as long as the server runs."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await self.fold()

    async def fold(self) -> None:
        """Fold the queued reviews into the file; those it can't take now stay queued.

        What is folded twice, because the first call was cancelled meanwhile, counts once: by the gate.
        """
        async with self._folding:
            due = list(self._due)
            try:
                if due:
                    await self.database.write(fold_reviews, due, self.database.settings)
            except ReadOnlyFileError:
                pass  # recall goes on, and nothing can be noted
            except UnavailableError:
                return
            del self._due[: len(due)]
            if not self._due:
                self._folded.set()

    async def flush(self) -> None:
        """Note everything queued, exposures too."""
        await self.fold()
        shown, self._shown = self._shown, {}
        callers, self._callers = self._callers, []
        if shown or callers:
            try:
                await self.database.write(note_shown, shown, callers, self.database.settings)
            except UnavailableError:
                self._callers = [*callers, *self._callers]
                for memory, (times, at) in shown.items():
                    more, last = self._shown.get(memory, (0, at))
                    self._shown[memory] = (times + more, last)


def reviewed_memories(question: Question, memories: Iterable[RecalledMemory]) -> list[RecalledMemory]:
    """Return the memories for which a recall is a review: asked for, relevant, and measurably faded."""
    if not question.query:
        return []
    best = max((memory.relevance for memory in memories), default=0.0)
    return [
        memory
        for memory in memories
        if memory.tier != "core"
        and memory.state == "active"
        and memory.relevance >= RELEVANT * best
        and memory.decay < scoring.REVIEW_GATE
    ]


def fold_reviews(connection: Connection, due: list[tuple[int, float]], settings: Settings) -> None:
    """Fold reviews in their order, each through the gate at its own time."""
    for memory_id, at in due:
        for row in fetch(connection, "memory_active", id=memory_id):
            before = Life.of(row)
            life = review(before, settings, at=at)
            if life is not None:
                save_life(connection, memory_id, life)
                log_review(connection, memory_id, life, remaining(before, settings, at=at))


def review(life: Life, settings: Settings, *, at: float, gate: float = scoring.REVIEW_GATE) -> Life | None:
    """Return a memory's life after a review at a time, or None where it had not faded enough to count.

    With a `gate` of 1 every later recall counts.
    """
    days = (at - life.reviewed_at) / DAY
    left = remaining(life, settings, at=at)
    if left >= gate:
        return None
    return replace(
        life,
        recall_count=life.recall_count + 1,
        consolidation=scoring.consolidate(life.consolidation, left),
        strength=scoring.strengthen(life.strength, days - scoring.fading_days(earned_half_life(life, settings), gate)),
        reviewed_at=at,
    )


def remaining(life: Life, settings: Settings, *, at: float) -> float:
    """Return what is left of a memory at a time, 0..1."""
    return scoring.decay((at - life.reviewed_at) / DAY, earned_half_life(life, settings))


def earned_half_life(life: Life, settings: Settings) -> float:
    """Return the half-life in days that a memory has earned."""
    base = wanted_keying(settings).base(life.tier)
    return scoring.effective_half_life(base, life.consolidation, life.recall_count, settings.consolidation_base)


def log_review(connection: Connection, memory_id: int, life: Life, left: float) -> None:
    """Add a review to the log that the forgetting curve is drawn from, and drop the oldest of too many."""
    run(
        connection,
        "review_insert",
        memory=memory_id,
        at=life.reviewed_at,
        decay=left,
        consolidation=life.consolidation,
    )
    run(connection, "review_prune", memory=memory_id, most=LOGGED)


def note_shown(
    connection: Connection,
    shown: dict[int, tuple[int, float]],
    callers: list[tuple[str, Author, float]],
    settings: Settings,
) -> None:
    """Count how often memories were shown, and note that the sessions that asked go on."""
    for namespace, author, at in callers:
        enter_session(connection, namespace, author, settings, now=at)
    count_exposures(connection, shown)


def count_exposures(connection: Connection, shown: dict[int, tuple[int, float]]) -> None:
    """Count how often memories were shown."""
    run(
        connection,
        "exposure",
        shown=json.dumps([[memory, times, at] for memory, (times, at) in shown.items()]),
    )
