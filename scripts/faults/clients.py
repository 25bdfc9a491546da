"""Clients that send what is no message, too much, or odd; that never read; that end their server while it is busy."""

import json
import random
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from support.stdio_client import StdioClient

from faults.oracle import STORED, Oracle, statement
from faults.processes import GONE, one, writing
from faults.result import Result

Tick = Callable[[], object]
MEGABYTES = 2**24
LONGEST_REPLY = 2000  # characters in which an argument of 16 MiB is answered
ODD = (
    "\0", "\ud83d", "\udc00", "\u202e", "\u2067", "\u200b", "\u200d", "\ufeff", "\u00ad", "\U000e0041", "\x1b[2J",
    "\x07", "\u2028", "\r\n", "\ufffe", "\U0010ffff", "e\u0301", "שלום", "عربي", "雾", "👨‍👩‍👧", "ﬁ", "𝒇", "Ｗ",
)  # fmt: skip
PLACES = (
    ("firmmem_write_event_memory", "summary"), ("firmmem_write_event_memory", "subject"),
    ("firmmem_write_event_memory", "tags"), ("firmmem_write_event_memory", "namespace"),
    ("firmmem_write_core_fact", "fact"), ("firmmem_recall_memory", "query"), ("firmmem_recall_memory", "since"),
    ("firmmem_memory_feedback", "note"), ("firmmem_archive_memory", "reason"), ("firmmem_archive_memory", "branch"),
)  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    "firmmem_write_event_memory": {"summary": "A cat"},
    "firmmem_write_core_fact": {"fact": "A cat"},
    "firmmem_recall_memory": {},
    "firmmem_memory_feedback": {"memory_ids": [1], "outcome": "positive"},
    "firmmem_archive_memory": {"memory_ids": [1], "restore": True},
}


def malformed(folder: Path, *, lines: int = 200, tick: Tick, seed: int = 21) -> Result:
    """Messages arrive cut, altered, doubled and buried in bytes; the server answers the next one and writes on."""
    oracle, chance = Oracle(folder / "malformed.db"), random.Random(seed)
    faults = []
    with writing(oracle, chance) as client:
        for number in range(lines):
            client.send_line(broken(message(statement(chance), 5_000_000 + number), chance))
            if number % 20 == 19 or number == lines - 1:
                client.send("ping", {}, id_=f"after {number}")
                while client.receive().get("id") != f"after {number}":
                    pass
                oracle.write(client, chance)
            tick()
        if code := client.close():
            faults.append(f"the server ended with {code}")
    return Result(f"{lines} lines that are no messages", len(oracle.answered), faults + oracle.faults(), oracle)


def message(summary: str, id_: int) -> bytes:
    """Return a call that writes, as it would arrive."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": one(summary)}).encode()


def broken(line: bytes, chance: random.Random) -> bytes:
    """Return a line broken somewhere, in some way."""
    at = chance.randrange(1, len(line))
    noise = chance.randbytes(chance.choice([1, 1, 2, 40]))
    return chance.choice([
        line[:at], line[at:], line[:at] + noise + line[at:], line[:at] + noise + line[at + len(noise) :],
        line + line[:at], line.replace(b'"', b"'"), line.replace(b":", noise, 1), noise,
        b"[" * chance.randrange(2, 100_000) + line,
        line.replace(b"{", b'{"\\ud800": ', 1), line.decode().encode("utf-16"),
    ])  # fmt: skip


def outsized(folder: Path, *, calls: int = 20, tick: Tick, seed: int = 22) -> Result:
    """Arguments are 16 MiB long, or full of what no text should hold; the reply is short, and the next write works."""
    oracle, chance = Oracle(folder / "outsized.db"), random.Random(seed)
    faults = []
    with writing(oracle, chance) as client:
        for number in range(calls):
            tool, name = chance.choice(PLACES)
            if number % 2:
                value = chance.choice(["x", "雾", "word "]) * MEGABYTES
                value = value.encode()[:MEGABYTES].decode(errors="ignore")
            else:
                value = "".join(chance.choices([*ODD, "a", " "], k=chance.randrange(1, 30)))
            said = answered(client, tool, NEEDED[tool] | {name: value}, 6_000_000 + number)
            if number % 2 and len(said) > LONGEST_REPLY:
                faults.append(f"{tool} {name}: a reply of {len(said)} characters")
            oracle.write(client, chance)
            tick()
        if code := client.close():
            faults.append(f"the server ended with {code}")
    return Result(
        f"{calls} arguments of 16 MiB or of odd characters", len(oracle.answered), faults + oracle.faults(), oracle
    )


def answered(client: StdioClient, tool: str, arguments: dict[str, Any], id_: int) -> str:
    """Call a tool, and return what it said, or why the message was refused; what can't be read has no id."""
    client.send("tools/call", {"name": tool, "arguments": arguments}, id_)
    while (reply := client.receive()).get("id") not in (id_, None):
        pass
    return json.dumps(reply.get("result") or reply.get("error"), ensure_ascii=False)


def never_reading(folder: Path, *, clients: int = 3, tick: Tick, seed: int = 23) -> Result:
    """A client sends and never reads; another one writes meanwhile, and the server still ends when it is told to."""
    oracle, chance = Oracle(folder / "never.db"), random.Random(seed)
    faults = []
    for _ in range(clients):
        with oracle.server() as deaf, writing(oracle, chance) as other:
            deaf.initialize()
            for number in range(60):
                deaf.send("tools/call", one(f"{statement(chance)} {'word ' * 200}"), 1000 + number)
                deaf.send("tools/call", {"name": "firmmem_recall_memory", "arguments": {"limit": 100}}, 5000 + number)
            for _ in range(5):
                oracle.write(other, chance)
            other.close()
            if code := deaf.terminate():
                faults.append(f"the server ended with {code}")
        tick()
    return Result(f"{clients} clients that never read", len(oracle.answered), faults + oracle.faults(), oracle)


def ended_while_busy(folder: Path, *, ends: int = 4, tick: Tick, seed: int = 24) -> Result:
    """A server has dozens of writes to do as SIGTERM comes or its input ends: what it answers is kept."""
    oracle, chance = Oracle(folder / "busy.db"), random.Random(seed)
    faults = []
    for number in range(ends):
        with oracle.server() as client:
            client.initialize()
            texts = {1000 + call: statement(chance) for call in range(60)}
            for id_, text in texts.items():
                client.send("tools/call", one(text), id_)
            replies = [client.receive() for _ in range(chance.randrange(1, 20))]
            if number % 2:
                client.process.send_signal(signal.SIGTERM)
            elif client.process.stdin is not None:
                client.process.stdin.close()
            with suppress(*GONE):
                replies += client.rest()
            if code := client.wait():
                faults.append(f"the server ended with {code}")
            note(oracle, replies, texts)
        tick()
    return Result(f"SIGTERM or the end of input while busy, {ends} times", len(oracle.answered),
        faults + oracle.faults(), oracle)  # fmt: skip


def note(oracle: Oracle, replies: Sequence[dict[str, Any]], texts: dict[int, str]) -> None:
    """Let writes count that were answered as stored."""
    for reply in replies:
        said = "".join(part["text"] for part in reply.get("result", {}).get("content", []))
        if found := STORED.match(said):
            oracle.answered.append((int(found[1]), texts[reply["id"]]))
