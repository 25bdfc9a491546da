"""Meaning: the model of a process, loaded at its first use, off the event loop; what fails is said once a recall."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from firmmem.database import Database
from firmmem.embedding import Encoder, language
from firmmem.errors import ModelError, UnavailableError
from firmmem.memory.vectors import Spaces, embedded, keep, unembedded
from firmmem.models import find
from firmmem.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

BATCH = 32  # memories embedded between two looks at the file
IDLE_SECONDS = 5.0  # between looks for memories that other processes wrote


@dataclass(frozen=True)
class Sought:
    """A query's meaning: its vector, its language, and what to compare it with."""

    vector: NDArray[np.float32]
    spoken: str
    spaces: Spaces


@dataclass
class Meaning:
    """What finds by meaning, or the reason why it can't."""

    encoder: Encoder | None
    spaces: Spaces | None
    off: str = ""
    _queries: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    _writes: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    _wake: anyio.Event = field(default_factory=anyio.Event)

    async def sought(self, query: str) -> Sought | None:
        """Return a query's meaning, or None where the model is off or does not know its language."""
        spoken = language(query)
        if self.encoder is None or self.spaces is None or not self.encoder.supports(spoken):
            return None
        try:
            [vector] = await anyio.to_thread.run_sync(
                partial(self.encoder.encode, [query], query=True), limiter=self._queries
            )
        except ModelError as error:
            self._give_up(error)
            return None
        return Sought(vector, spoken, self.spaces)

    def wrote(self) -> None:
        """Say that there is a new memory to embed."""
        self._wake.set()

    async def keep_embedding(self, database: Database) -> None:
        """Embed what has no vector yet, for as long as the server runs."""
        while self.encoder is not None:
            self._wake = anyio.Event()
            try:
                await self.embed_all(database)
            except UnavailableError as error:
                log.warning("embedding waits: %s", error)
            with anyio.move_on_after(IDLE_SECONDS):
                await self._wake.wait()

    async def embed_all(self, database: Database) -> None:
        """Embed every memory that has no vector yet, some at a time."""
        after = 0
        while self.encoder is not None:
            rows = await database.read(unembedded, self.encoder.model, after=after, most=BATCH)
            if not rows:
                return
            try:
                vectors = await anyio.to_thread.run_sync(
                    embedded, self.encoder, rows, limiter=self._writes, abandon_on_cancel=True
                )
            except ModelError as error:
                self._give_up(error)
                return
            await database.write(keep, self.encoder.model, vectors)
            after = rows[-1]["id"]

    def _give_up(self, error: ModelError) -> None:
        log.warning("%s", error)
        self.off, self.encoder = str(error), None


def meaning_of(settings: Settings) -> Meaning | None:
    """Return what finds by meaning under these settings, or None where it is switched off."""
    if not settings.semantic_rerank:
        return None
    try:
        model = find(settings.model, settings.model_dir)
    except ModelError as error:
        log.warning("%s", error)
        return Meaning(None, None, str(error))
    return Meaning(Encoder(model), Spaces(model))
