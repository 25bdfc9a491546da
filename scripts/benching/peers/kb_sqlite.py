"""mcp-kb-sqlite: entries under keys, on the same SDK as FirmMem's, searched by FTS5."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from support.stdio_client import StdioClient

from benching import servers, store
from benching.peers.peer import LIMIT, Call, Peer

AN_ENTRY = re.compile(r"^id=\d+ \|", re.MULTILINE)


def fill(client: StdioClient, _: Path, size: int) -> Iterator[int]:
    for number in range(size):
        call = save(f"memory-{number}", store.made(number, size).new.summary)
        servers.timed(client, call.tool, call.arguments)
        yield number + 1


def save(key: str, text: str) -> Call:
    entry = {"ns": "bench", "key": key, "title": key, "description": text}
    return Call("save", entry, lambda said: int(said.startswith("Created")))


def entries(said: str) -> int:
    if said.startswith("Search failed"):
        raise servers.WrongAnswerError(said[:300])
    return len(AN_ENTRY.findall(said))


def search(words: Sequence[str]) -> Call:
    """Ask for any of the words; its syntax would take them as all of them."""
    return Call("search", {"query": " OR ".join(f'"{word}"' for word in words), "limit": LIMIT}, entries)


PEER = Peer(
    "mcp-kb-sqlite",
    package="mcp-kb-sqlite==0.2.1",
    licence="MIT",
    command=lambda home, _: [str(home / "bin" / "mcp-kb-sqlite")],
    settings=lambda file: {"DB_PATH": str(file)},
    fill=fill,
    search=search,
    recent=lambda: Call("list", {"limit": LIMIT}, entries),
    write=lambda number, text: save(f"written-{number}", text),
    how=(
        "`search` for any of the words, by BM25; without a query `list`, which returns titles without the text; "
        "`save`, which reaches the disk"
    ),
)
