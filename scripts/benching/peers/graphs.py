"""Servers that keep a graph of entities with observations: a memory is an entity with its text as observation."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from support.stdio_client import StdioClient

from benching import servers, store
from benching.peers.peer import LIMIT, Call, Peer, batches


def entities(said: str) -> int:
    return len(json.loads(said)["entities"])


def entity(name: str, text: str) -> dict[str, object]:
    return {"name": name, "entityType": "memory", "observations": [text]}


def filling(batch: int) -> Callable[[StdioClient, Path, int], Iterator[int]]:
    """Return what fills a graph by `create_entities`, so many in a call."""

    def fill(client: StdioClient, _: Path, size: int) -> Iterator[int]:
        for numbers in batches(size, batch):
            made = [entity(f"memory {number}", store.made(number, size).new.summary) for number in numbers]
            servers.timed(client, "create_entities", {"entities": made})
            yield numbers.stop

    return fill


def write(number: int, text: str) -> Call:
    return Call("create_entities", {"entities": [entity(f"written {number}", text)]}, lambda _: 1)


def read_graph() -> Call:
    return Call("read_graph", {}, entities)


def substring(words: Sequence[str]) -> Call:
    return Call("search_nodes", {"query": " ".join(words)}, entities)


def pattern(words: Sequence[str]) -> Call:
    return Call("search_nodes", {"query": " ".join(words), "limit": LIMIT}, entities)


SERVER_MEMORY = Peer(
    "server-memory",
    package="@modelcontextprotocol/server-memory@2026.8.31",
    installer="npm",
    licence="MIT",
    command=lambda home, _: [str(home / "node_modules" / ".bin" / "mcp-server-memory")],
    settings=lambda file: {"MEMORY_FILE_PATH": str(file)},
    fill=filling(5_000),
    search=substring,
    recent=read_graph,
    write=write,
    how=(
        "`search_nodes` finds what has the whole query as a part and returns all of it; without a query `read_graph`, "
        "which returns everything; `create_entities`, which rewrites the file and does not wait for the disk"
    ),
)
LIBSQL = Peer(
    "mcp-memory-libsql",
    package="mcp-memory-libsql@0.0.17",
    installer="npm",
    licence="MIT",
    command=lambda home, _: [str(home / "node_modules" / ".bin" / "mcp-memory-libsql")],
    settings=lambda file: {"LIBSQL_URL": f"file:{file}"},
    fill=filling(50),
    search=pattern,
    recent=read_graph,
    write=write,
    how=(
        "`search_nodes` finds what has all words of the query in their order; without a query `read_graph`, which "
        "returns the 10 newest; `create_entities`, which reaches the disk"
    ),
)
