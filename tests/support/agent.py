"""An agent, for tests: what it writes, recalls, judges and puts away, by the verbs or by the tools."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client

from firmmem.contract import Author, Changed, NewMemory, Outcome, Question, Recalled, Written
from firmmem.edge.server import build_server
from firmmem.errors import SettingsError
from firmmem.memory.recall.recall import recall
from firmmem.memory.trust.feedback import give_feedback
from firmmem.memory.write.archive import archive_memories
from firmmem.memory.write.write import write_memory
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.statements import Connection
from support.stores import Clock


@dataclass
class Agent:
    """One session of one client, calling the verbs."""

    database: Database
    clock: Clock
    session: str = "a session"
    namespace: str = "default"

    @property
    def author(self) -> Author:
        return Author("a client", self.session)

    async def write(self, summary: str, tier: Any = "draft", **said: Any) -> Written:
        new = NewMemory(summary, tier, **{"namespace": self.namespace, **said})
        return await write_memory(self.database, new, self.author, now=self.clock())

    async def recall(self, query: str = "", **said: Any) -> Recalled:
        question = Question(**{"namespace": self.namespace, "query": query, "author": self.author, **said})
        return await recall(self.database, question, now=self.clock())

    async def found(self, query: str = "", **said: Any) -> list[int]:
        """The ids that a recall tells, in its order."""
        return [memory.id for memory in (await self.recall(query, **said)).memories]

    async def feedback(self, outcome: Outcome, *ids: int, **said: Any) -> Changed:
        place = {"namespace": self.namespace, "now": self.clock()}
        return await give_feedback(self.database, ids, outcome, self.author, **{**place, **said})

    async def archive(self, *ids: int, **said: Any) -> Changed:
        return await archive_memories(self.database, ids, **{"namespace": self.namespace, "now": self.clock(), **said})

    async def restore(self, *ids: int, **said: Any) -> Changed:
        return await self.archive(*ids, restore=True, **said)

    async def row(self, memory_id: int) -> dict[str, Any]:
        """A memory as the file has it, with where it lies."""
        [row] = await self.rows("WHERE memory.id = ?", memory_id)
        return row

    async def rows(self, where: str = "", *parameters: object) -> list[dict[str, Any]]:
        statement = (
            "SELECT memory.*, shelf.state, shelf.branch, shelf.namespace FROM memory "
            f"JOIN shelf ON shelf.id = memory.shelf {where} ORDER BY memory.id"
        )

        def read(connection: Connection) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(statement, parameters)]

        return await self.database.read(read)

    async def quarantine(self, memory_id: int) -> None:
        """Set a memory aside as the anomaly check would."""

        def put(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO shelf (namespace, state, branch) SELECT :namespace, 'quarantined', '' "
                "WHERE NOT EXISTS (SELECT 1 FROM shelf WHERE namespace = :namespace AND state = 'quarantined')",
                {"namespace": self.namespace},
            )
            connection.execute(
                "UPDATE memory SET (shelf, search_id) = (SELECT id, id << 40 | memory.id FROM shelf "
                "WHERE state = 'quarantined' AND namespace = ?) WHERE id = ?",
                (self.namespace, memory_id),
            )

        await self.database.write(put)


@dataclass
class Caller:
    """A client of the server, calling the tools by their short names."""

    client: Client

    async def answer(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """The text of a result, and whether it is an error."""
        result = await self.client.call_tool(f"firmmem_{tool}", arguments)
        [part] = result.content
        assert result.structured_content is None
        assert part.type == "text"
        return part.text, bool(result.is_error)

    async def call(self, tool: str, **arguments: Any) -> str:
        text, is_error = await self.answer(tool, **arguments)
        assert not is_error, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        text, is_error = await self.answer(tool, **arguments)
        assert is_error, text
        return text

    async def write(self, summary: object, **said: Any) -> str:
        return await self.call("write_event_memory", summary=summary, **said)

    async def recall(self, query: object = "", **said: Any) -> list[str]:
        """The lines of a recall."""
        return (await self.call("recall_memory", query=query, **said)).splitlines()

    async def memories(self, query: object = "", **said: Any) -> list[str]:
        """The lines of a recall that hold a memory."""
        return [line for line in await self.recall(query, **said) if line.startswith("#")]


@asynccontextmanager
async def serving(settings: Settings | SettingsError, clock: Clock) -> AsyncGenerator[Caller]:
    """A server in this process, and a client connected to it."""
    async with Client(build_server(settings, clock)) as client:
        yield Caller(client)


def ids_of(quotes: Sequence[Any]) -> list[int]:
    return [quote.id for quote in quotes]


@asynccontextmanager
async def remembering(settings: Settings, clock: Clock, *texts: object) -> AsyncGenerator[Caller]:
    """A client whose server remembers these texts, numbered from 1."""
    async with serving(settings, clock) as caller:
        for number, text in enumerate(texts, 1):
            assert (await caller.write(text)).splitlines()[0] == f"stored #{number} draft"
        yield caller


def ids(lines: list[str]) -> list[int]:
    """Return the ids that lines of a recall begin with."""
    return [int(line.split()[0].removeprefix("#")) for line in lines]
