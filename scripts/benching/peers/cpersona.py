"""CPersona, without the embedding server that it can be given: search by words."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from support.stdio_client import StdioClient

from benching import servers, store
from benching.peers.peer import LIMIT, Call, Peer, batches

AGENT = "bench"
BATCH = 1_000


def fill(client: StdioClient, file: Path, size: int) -> Iterator[int]:
    """Write memories by `import_memories`, a file of lines each."""
    now = datetime.now(UTC)
    lines = file.with_suffix(".jsonl")
    for numbers in batches(size, BATCH):
        lines.write_text("\n".join(line(number, size, now) for number in numbers), encoding="utf-8")
        servers.timed(client, "import_memories", {"input_path": str(lines)})
        yield numbers.stop
    lines.unlink()


def line(number: int, size: int, now: datetime) -> str:
    made = store.made(number, size)
    at = now - timedelta(days=made.written_days_ago)
    source = {"type": "Agent", "id": AGENT, "name": AGENT}
    record = {"_type": "memory", "agent_id": AGENT, "msg_id": f"m{number}", "content": made.new.summary}
    return json.dumps(record | {"source": source, "timestamp": at.isoformat(), "metadata": {}})


def recall(query: str) -> Call:
    return Call("recall", {"agent_id": AGENT, "query": query, "limit": LIMIT}, messages)


def messages(said: str) -> int:
    return len(json.loads(said)["messages"])


def search(words: Sequence[str]) -> Call:
    return recall(" ".join(words))


def write(_: int, text: str) -> Call:
    return Call("store", {"agent_id": AGENT, "content": text}, lambda said: int(json.loads(said)["result"] == "stored"))


PEER = Peer(
    "cpersona",
    package="cpersona==2.6.14",
    licence="MIT",
    command=lambda home, _: [str(home / "bin" / "cpersona")],
    settings=lambda file: {
        "CPERSONA_DB_PATH": str(file),
        "CPERSONA_EXPORT_DIR": str(file.parent),
        "CPERSONA_UPDATE_CHECK": "false",
    },
    fill=fill,
    search=search,
    recent=lambda: recall(""),
    write=write,
    how=(
        "`recall` by words, without the embedding server it can be given; without a query `recall` of an empty one, "
        "the newest; `store`, which waits for the system and not for the disk"
    ),
)
