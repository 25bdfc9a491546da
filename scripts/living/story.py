"""A story on one real file with a clock turned by hand: sessions of agents, a person's hand, upkeep, and checks.

A chapter is a function in a module `chapter_*.py` of this folder:

    @chapter(day=12, hour=9)
    async def the_peanut_allergy_is_shown(story: Story) -> None:
        async with story.session("hermes", "ada") as agent:
            reply = await agent.recall("satay for dinner?")
            story.expect("an allergy comes along with a query about food", "peanut" in reply, reply)

Chapters run in the order of their days, all on the same file; one that needs a file of its own takes a namespace of
its own.
"""

import importlib
import pkgutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, types
from support.stores import Clock

from firmmem.edge.server import build_server
from firmmem.memory.write.core_facts import add_fact
from firmmem.settings import Settings
from firmmem.store.database import open_database
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction
from firmmem.upkeep import held
from firmmem.upkeep.held import perform_job
from firmmem.upkeep.schedule import JOBS

HOUR, DAY = 3600.0, 86_400.0
BEGIN = 1_788_220_800.0  # 2026-09-01T00:00:00Z, a Tuesday


@dataclass(frozen=True)
class Check:
    """One thing that must hold, and what was said where it does not."""

    day: int
    title: str
    held: bool
    said: str = ""


@dataclass
class Session:
    """One session of an agent: the tools by their short names, each answering with its text."""

    client: Client
    namespace: str

    async def call(self, tool: str, **arguments: Any) -> str:
        """Return a tool's text, whether it is an error or not."""
        result = await self.client.call_tool(f"firmmem_{tool}", {"namespace": self.namespace, **arguments})
        return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))

    async def recall(self, query: str = "", **said: Any) -> str:
        return await self.call("recall_memory", query=query, **said)

    async def core(self, fact: str, **said: Any) -> str:
        return await self.call("write_core_fact", fact=fact, **said)

    async def plan(self, summary: str, goal_id: str, **said: Any) -> str:
        return await self.call("write_strategic_memory", summary=summary, goal_id=goal_id, **said)

    async def note(self, summary: str, **said: Any) -> str:
        return await self.call("write_event_memory", summary=summary, **said)

    async def feedback(self, outcome: str, *ids: int, **said: Any) -> str:
        return await self.call("memory_feedback", outcome=outcome, memory_ids=list(ids), **said)

    async def archive(self, *ids: int, **said: Any) -> str:
        return await self.call("archive_memory", memory_ids=list(ids), **said)


@dataclass
class Story:
    """The file, the clock, and the checks so far."""

    settings: Settings
    clock: Clock = field(default_factory=lambda: Clock(BEGIN))
    checks: list[Check] = field(default_factory=list)

    @property
    def day(self) -> int:
        return int((self.clock.now - BEGIN) // DAY)

    def expect(self, title: str, held: object, said: str = "") -> None:
        """Note a check; `said` is what explains a failure."""
        self.checks.append(Check(self.day, title, bool(held), said))

    def turn_to(self, day: int, hour: float = 9.0) -> None:
        """Turn the clock to an hour (UTC) of a day of the story."""
        self.clock.now = BEGIN + day * DAY + hour * HOUR

    @asynccontextmanager
    async def session(self, client: str, namespace: str) -> AsyncGenerator[Session]:
        """Start a server as an agent's host does, and hang up at the end; each call takes a minute."""
        named = types.Implementation(name=client, version="1")
        async with Client(build_server(self.settings, self._tick), client_info=named) as connected:
            yield Session(connected, namespace)

    def _tick(self) -> float:
        self.clock.now += 1.0
        return self.clock.now

    def person_adds(self, fact: str, namespace: str, **said: Any) -> int:
        """Add a core fact by a person's hand, and return its id."""
        connection = open_connection(self.settings, by_person=True)
        try:
            with transaction(connection):
                return add_fact(connection, fact, self.settings, namespace=namespace, now=self.clock.now, **said).id
        finally:
            connection.close()

    def rows(self, statement: str, *parameters: object) -> list[dict[str, Any]]:
        """Return what the file holds, as any program could read it."""
        connection = open_connection(self.settings, writes=False)
        try:
            return [dict(row) for row in connection.execute(statement, parameters)]
        finally:
            connection.close()

    def rows_ids(self, summary: str) -> list[int]:
        """Return the ids of the memories that say this."""
        return [row["id"] for row in self.rows("SELECT id FROM memory WHERE summary = ?", summary)]

    async def upkeep(self) -> None:
        """Do what is due, as a server does while it runs."""
        async with open_database(self.settings) as database:
            for job in JOBS:
                await perform_job(database, job, self.clock)


Chapter = Callable[[Story], Awaitable[None]]
CHAPTERS: list[tuple[int, float, str, Chapter]] = []


def chapter(*, day: int, hour: float = 9.0) -> Callable[[Chapter], Chapter]:
    """Let a function be told on a day of the story."""

    def add(function: Chapter) -> Chapter:
        name = f"{function.__module__}.{function.__name__}"
        CHAPTERS[:] = [each for each in CHAPTERS if each[2] != name]
        CHAPTERS.append((day, hour, name, function))
        return function

    return add


async def tell(folder: Path) -> list[Check]:
    """Tell the whole story on a new file in a folder, upkeep at every turn of a day, and return its checks."""
    held.PAUSE = 0.0  # nobody waits here
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.startswith("chapter_"):
            importlib.import_module(f"living.{module.name}")
    story = Story(Settings(db=folder / "story.db"))
    for day, hour, _, function in sorted(CHAPTERS, key=lambda each: each[:3]):
        for passed in range(story.day + 1, day + 1):
            story.turn_to(passed, 0.5)
            await story.upkeep()
        story.turn_to(day, hour)
        await function(story)
    return story.checks
