"""Meaning: the model of a process, loaded at its first use, off the event loop; what fails is said once a recall."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from firmmem.encoder.embedding import Encoder, language
from firmmem.encoder.models import find_model
from firmmem.errors import ModelError, UnavailableError
from firmmem.memory.recall.clauses import cut_clauses
from firmmem.memory.recall.vectors import Spaces, find_unembedded, read_vectors, store_vectors
from firmmem.memory.rows.shelves import list_shelves
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from firmmem.settings import Settings
    from firmmem.store.database import Database

log = logging.getLogger(__name__)

WORKERS = 2  # threads that embed, one processor each
BATCH = 32  # memories that one of them embeds before they are kept
IDLE_SECONDS = 5.0  # between looks for memories that other processes wrote


@dataclass(frozen=True)
class QueryMeaning:
    """A query's meaning: the vector of each clause, their languages, and what to compare them with."""

    vectors: NDArray[np.float32]
    spoken: list[str]
    spaces: Spaces


@dataclass
class Meaning:
    """What finds by meaning, or the reason why it can't."""

    encoder: Encoder | None
    spaces: Spaces | None
    off: str = ""
    _queries: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    _writes: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(WORKERS))
    _wake: anyio.Event = field(default_factory=anyio.Event)

    async def sought(self, query: str) -> QueryMeaning | None:
        """Return a query's meaning, or None where the model is off or does not know its language."""
        if self.encoder is None or self.spaces is None or not self.encoder.supports(language(query)):
            return None
        texts = [clause.text for clause in cut_clauses(query)]
        try:
            vectors = await anyio.to_thread.run_sync(
                partial(self.encoder.encode, texts, query=True), limiter=self._queries
            )
        except ModelError as error:
            self._give_up(error)
            return None
        return QueryMeaning(vectors, [language(text) for text in texts], self.spaces)

    async def near_core_facts(self, database: Database, fact: str, namespace: str) -> tuple[tuple[int, float], ...]:
        """Return the core facts of a namespace with how near each is to a new one, across languages too."""
        if self.encoder is None or self.spaces is None or not self.encoder.supports(language(fact)):
            return ()
        try:
            vectors = await anyio.to_thread.run_sync(
                partial(self.encoder.encode, [fact], query=False), limiter=self._queries
            )
        except ModelError as error:
            self._give_up(error)
            return ()
        return await database.read(compare_core_facts, QueryMeaning(vectors, [language(fact)], self.spaces), namespace)

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

    async def embed_all(self, database: Database, progress: Callable[[int], None] = lambda _: None) -> None:
        """Embed every memory that has no vector yet: `WORKERS` batches at a time, each kept when it is done."""
        after = 0
        while self.encoder is not None:
            rows = await database.read(find_unembedded, self.encoder.model, after=after, most=WORKERS * BATCH)
            if not rows:
                return
            async with anyio.create_task_group() as workers:
                for start in range(0, len(rows), BATCH):
                    workers.start_soon(self._embed, database, rows[start : start + BATCH])
            progress(len(rows))
            after = rows[-1]["id"]

    async def _embed(self, database: Database, rows: Sequence[Any]) -> None:
        encoder = self.encoder
        if encoder is None:
            return
        try:
            vectors = await anyio.to_thread.run_sync(
                read_vectors, encoder, rows, limiter=self._writes, abandon_on_cancel=True
            )
        except ModelError as error:
            self._give_up(error)
        else:
            await database.write(store_vectors, encoder.model, vectors)

    def _give_up(self, error: ModelError) -> None:
        log.warning("%s", error)
        self.off, self.encoder = str(error), None


def compare_core_facts(connection: Connection, sought: QueryMeaning, namespace: str) -> tuple[tuple[int, float], ...]:
    """Return the core facts of a namespace that have a vector, and their cosines."""
    near = sought.spaces.nearness(connection, namespace, sought)
    if near is None:
        return ()
    ids = [
        row["id"]
        for shelf in list_shelves(connection, namespace, ["active"], [""])
        for row in fetch(connection, "core_on_shelf", shelf=shelf.id)
    ]
    cosines = [(memory, near.of(memory)[0]) for memory in ids]
    return tuple((memory, cosine) for memory, cosine in cosines if cosine is not None)


def build_meaning(settings: Settings) -> Meaning | None:
    """Return what finds by meaning under these settings, or None where it is switched off."""
    if not settings.semantic_rerank:
        return None
    try:
        model = find_model(settings.model, settings.model_dir)
    except ModelError as error:
        log.warning("%s", error)
        return Meaning(None, None, str(error))
    return Meaning(Encoder(model), Spaces(model))
