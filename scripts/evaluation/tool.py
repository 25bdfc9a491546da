"""Writing and asking through the real tools, by a client that holds the server in its own process."""

import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp import Client
from tqdm import tqdm

from evaluation.measures import Answer
from evaluation.sets import Asked, Collection
from firmmem.cli.model import embed_with_progress
from firmmem.edge.server import build_server
from firmmem.settings import Settings
from firmmem.text.normal_form import estimate_tokens

STORED = re.compile(r"(?:stored|already known:) #(\d+)")
RETURNED = re.compile(r"^#(\d+) ", re.MULTILINE)
EXPLAINED = re.compile(r"^    score .*$", re.MULTILINE)
FACTOR = {name: re.compile(rf"\b{name} ([\d.]+)") for name in ("relevance", "RFM", "trust")}

Ids = dict[str, list[int]]  # by namespace, the id of the item at each position


class RefusedError(Exception):
    """The server refused what the evaluation sent: its figures would be about something else."""


@dataclass
class Clock:
    """The server's clock, turned by hand."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Way:
    """One way of asking: a name for the table, and what differs from the defaults."""

    name: str
    settings: Settings
    later_seconds: float = 0.0
    arguments: dict[str, object] = field(default_factory=dict)


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[Client, Clock]]:
    clock = Clock()
    async with Client(build_server(settings, clock)) as client:
        yield client, clock


async def write(collections: Sequence[Collection], settings: Settings) -> Ids:
    """Write every item at its time as a verified event memory.

    Raises:
        RefusedError: One was refused.
    """
    ids: Ids = {collection.name: [0] * len(collection.items) for collection in collections}
    total = sum(len(each.items) for each in collections)
    with tqdm(total=total, desc="write", unit=" memories", mininterval=1) as bar:
        async with serving(settings) as (client, clock):
            for collection in collections:
                for position in sorted(range(len(collection.items)), key=lambda at: collection.items[at].at):
                    item = collection.items[position]
                    clock.now = item.at
                    ids[collection.name][position] = await written(client, item.text, collection.name)
                    bar.update()
    return ids


async def written(client: Client, text: str, namespace: str) -> int:
    arguments = {"summary": text, "verified": True, "namespace": namespace}
    reply = await said(client, "firmmem_write_event_memory", arguments)
    stored = STORED.match(reply)
    if not stored:
        raise RefusedError(f"not written: {reply}\n{text}")
    return int(stored[1])


async def said(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in result.content if part.type == "text")
    if result.is_error or text.startswith("unavailable:"):
        raise RefusedError(f"{tool} answered: {text}")
    return text


async def ask(collections: Sequence[Collection], ids: Ids, way: Way) -> list[Answer]:
    """Ask every question of its namespace, after its last item was written."""
    answers = []
    total = sum(len(each.questions) for each in collections)
    if way.settings.semantic_rerank:
        await embed_with_progress(way.settings)  # as `firmmem embed` does
    with tqdm(total=total, desc=way.name, unit=" questions", mininterval=1) as bar:
        async with serving(way.settings) as (client, clock):
            for collection in collections:
                clock.now = collection.ends_at + way.later_seconds
                for question in collection.questions:
                    answers.append(await answer(client, question, collection.name, ids, way))
                    bar.update()
    return answers


async def answer(client: Client, question: Asked, namespace: str, ids: Ids, way: Way) -> Answer:
    arguments = {"query": question.text, "namespace": namespace, **way.arguments}
    began = time.perf_counter()
    reply = await said(client, "firmmem_recall_memory", arguments)
    seconds = time.perf_counter() - began
    order = {int(found): rank for rank, found in enumerate(RETURNED.findall(reply), 1)}
    # Equal texts are one memory: each of their positions was found where it was.
    gold = [ids[namespace][position] for position in question.gold]
    ranks = tuple(order[memory] for memory in gold if memory in order)
    return Answer(question.category, ranks, len(gold), len(order), estimate_tokens(reply), seconds, factors(reply))


def factors(reply: str) -> tuple[tuple[float, float], ...]:
    """Return relevance and RFM × trust of each memory of a reply that explains them."""
    found = []
    for line in EXPLAINED.findall(reply):
        relevance, rfm, trust = (float(match[1]) for match in (each.search(line) for each in FACTOR.values()) if match)
        found.append((relevance, rfm * trust))
    return tuple(found)
