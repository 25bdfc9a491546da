"""FirmMem and the bare server, asked as a peer is."""

import re
from collections.abc import Sequence
from dataclasses import replace

from benching import cases, servers, store
from benching.peers.peer import LIMIT, Call, Peer

A_MEMORY = re.compile(r"^#\d+ ", re.MULTILINE)


def search(words: Sequence[str]) -> Call:
    return Call(cases.RECALL, {"query": " ".join(words), "limit": LIMIT}, recalled)


def recent() -> Call:
    return Call(cases.RECALL, {"limit": LIMIT}, recalled)


def write(_: int, text: str) -> Call:
    return Call(cases.WRITE, {"summary": text}, lambda said: int(said.startswith("stored #")))


def recalled(said: str) -> int:
    return len(A_MEMORY.findall(said))


def echoed(text: str) -> Call:
    return Call("echo", {"text": text}, lambda _: 0)


def shared(number: int, size: int) -> store.Made:
    """Return the memory of a number as every peer can hold it: active, in the one namespace there is."""
    made = store.made(number, size)
    return replace(made, state="active", new=replace(made.new, namespace=store.NAMESPACE))


FIRMMEM = Peer(
    "FirmMem",
    command=lambda *_: servers.OURS,
    settings=lambda file: {"FIRMMEM_DB": str(file)},
    search=search,
    recent=recent,
    write=write,
    how="`firmmem_recall_memory` and `firmmem_write_event_memory`; filled by its own statements",
)
ECHO = Peer(
    "echo",
    command=lambda *_: servers.ECHO,
    search=lambda words: echoed(" ".join(words)),
    recent=lambda: echoed(""),
    write=lambda _, text: echoed(text),
    how="a bare server on FirmMem's SDK that answers with the same words",
)
