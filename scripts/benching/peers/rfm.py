"""mem-rfm, a library of SQL functions: asked through a process that does nothing but run the statements."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from support.stdio_client import StdioClient

from benching import servers, store
from benching.peers.peer import Call, Peer, batches

HOST = Path(__file__).with_name("rfm_host.py")
BATCH = 5_000


def fill(client: StdioClient, _: Path, size: int) -> Iterator[int]:
    for numbers in batches(size, BATCH):
        made = [store.made(number, size) for number in numbers]
        texts = [(each.new.summary, each.written_days_ago) for each in made]
        servers.timed(client, "write", {"memories": texts})
        yield numbers.stop


def lines(said: str) -> int:
    return len(said.splitlines())


def search(words: Sequence[str]) -> Call:
    return Call("search", {"query": " OR ".join(f'"{word}"' for word in words)}, lines)


PEER = Peer(
    "mem-rfm",
    package="mem-rfm==0.3.0",
    licence="Apache-2.0",
    command=lambda home, file: [str(home / "bin" / "python"), str(HOST), str(file)],
    fill=fill,
    search=search,
    recent=lambda: Call("best", {}, lines),
    write=lambda _, text: Call("write", {"memories": [(text, 0.0)]}, int),
    how=(
        "a library, here behind a loop over lines that costs less than any SDK: FTS5's BM25 times `rfm_prior(id)`, as "
        "its documents have it, and no access recorded; without a query the best by `rfm_score(id)`; an INSERT, which "
        "reaches the disk"
    ),
)
