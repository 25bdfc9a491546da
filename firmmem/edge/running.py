"""A running FirmMem: the open file, and what looks after it for as long as a server runs."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from firmmem import patterns
from firmmem.contract import Author
from firmmem.errors import InvalidArgumentError, SettingsError, UnavailableError
from firmmem.memory.life.review import Reviews
from firmmem.memory.rows.refusals import Refusals
from firmmem.memory.rows.sessions import end_sessions
from firmmem.memory.rows.shelves import normalise_label
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database

if TYPE_CHECKING:
    from firmmem.memory.recall.meaning import Meaning

log = logging.getLogger(__name__)

SETTLED_SECONDS = 0.5  # after its start, when a client has its tools
FLUSH_SECONDS = 5.0  # how long counts of what was shown may wait: they are all that a kill can cost


@dataclass
class App:
    """What every tool shares for as long as the server runs."""

    settings: Settings | SettingsError
    clock: Callable[[], float]
    stack: AsyncExitStack
    background: TaskGroup
    session: str = field(default_factory=lambda: uuid4().hex)
    refusals: Refusals = field(default_factory=Refusals)
    reviews: Reviews | None = None
    meaning: Meaning | None = None
    recalled: dict[tuple[str, Author], float] = field(
        default_factory=dict
    )  # who last recalled in which namespace, when
    _database: Database | None = None
    _opening: anyio.Lock = field(default_factory=anyio.Lock)

    async def database(self) -> Database:
        """Return the open file; one that could not be opened is tried again.

        Raises:
            UnavailableError: It can't be used, for the reason given.
        """
        if self._database is None:
            if isinstance(self.settings, SettingsError):
                raise UnavailableError(str(self.settings))
            async with self._opening:
                if self._database is None:
                    self._database = await self.stack.enter_async_context(open_database(self.settings))
                    self.reviews = Reviews(self._database)
                    self.meaning = load_meaning(self.settings)
                    self.background.start_soon(look_after, self, self._database, self.reviews)
                    log.info("memory file %s", self.settings.db)
        return self._database

    async def note_refusals(self) -> None:
        """Note what was not stored, where the file can be written by now."""
        if self._database is not None:
            await self.refusals.flush(self._database)

    async def end_sessions(self) -> None:
        """Note that the sessions of this process have ended, where the file can be written."""
        if self._database is not None:
            with suppress(UnavailableError):
                await self._database.write(end_sessions, Author("", self.session), now=self.clock())

    def is_first_recall(self, namespace: str, author: Author, *, now: float) -> bool:
        """Return whether a session recalls for the first time; a session ends with a gap in time, too."""
        before = self.recalled.get((namespace, author))
        self.recalled[namespace, author] = now
        gap = math.inf if isinstance(self.settings, SettingsError) else self.settings.session_gap_hours * 3_600.0
        return before is None or now - before > gap

    def namespace(self, asked: str) -> str:
        """Return the namespace of a call.

        Raises:
            InvalidArgumentError: This process is locked to another one.
        """
        if isinstance(self.settings, SettingsError):
            return asked
        own = self.settings.namespace
        if asked and self.settings.namespace_lock and normalise_label(asked) != normalise_label(own):
            raise InvalidArgumentError(f"Send no namespace: this server is locked to {own!r}.")
        return asked or own


def load_meaning(settings: Settings) -> Meaning | None:
    """Return what finds by meaning, if it is switched on; only then is it imported."""
    if not settings.semantic_rerank:
        return None
    from firmmem.memory.recall.meaning import build_meaning

    return build_meaning(settings)


@asynccontextmanager
async def run_app(settings: Settings | SettingsError, clock: Callable[[], float]) -> AsyncGenerator[App]:
    """Hold what the tools share; the file is opened in the background, and closed at the end."""
    async with AsyncExitStack() as stack:
        app = None
        try:
            async with anyio.create_task_group() as background:
                app = App(settings, clock, stack, background)
                background.start_soon(open_early, app)
                background.start_soon(get_ready)
                yield app
                background.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                if app and app.reviews:
                    await app.reviews.flush()
                    await app.note_refusals()
                    await app.end_sessions()


async def open_early(app: App) -> None:
    """Open the file before the first call asks for it; a call that finds it closed tries again."""
    try:
        await app.database()
    except UnavailableError as error:
        log.warning("%s", error)  # and every tool says it


async def get_ready() -> None:
    """Do what a start had no time for, before the first call needs it."""
    await anyio.sleep(SETTLED_SECONDS)
    await anyio.to_thread.run_sync(patterns.compile_all, abandon_on_cancel=True)


async def look_after(app: App, database: Database, reviews: Reviews) -> None:
    """Fold reviews, embed what is new and do the periodic work, for as long as the server runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reviews.keep_folding)
        tasks.start_soon(flush_now_and_then, app, database, reviews)
        if app.meaning:
            tasks.start_soon(app.meaning.keep_embedding, database)
        await anyio.sleep(SETTLED_SECONDS)
        from firmmem.upkeep.rekey import bring_keys_up_to_date  # a tenth of what our own modules take to import
        from firmmem.upkeep.schedule import keep_up

        tasks.start_soon(bring_keys_up_to_date, database)
        tasks.start_soon(keep_up, database, reviews, app.clock, app.meaning)


async def flush_now_and_then(app: App, database: Database, reviews: Reviews) -> None:
    """Note what was shown and what was not stored, every few seconds."""
    while True:
        await anyio.sleep(FLUSH_SECONDS)
        await reviews.flush()
        await app.refusals.flush(database)
