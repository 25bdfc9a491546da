"""Servers as clients start them: ours and the bare one, over stdio, in the environment that clients give."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from support.stdio_client import StdioClient

ECHO = [sys.executable, str(Path(__file__).with_name("echo.py"))]
OURS = [sys.executable, "-m", "firmmem"]
ELSEWHERE = tempfile.gettempdir()  # to start in: `python -m` would take a package in the working folder
LEAVES_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class WrongAnswerError(Exception):
    """A server answered with an error: its times would be about something else."""


@dataclass(frozen=True)
class Start:
    """What a server had used up when it had answered `initialize` and `tools/list`."""

    initialize_seconds: float
    list_seconds: float
    initialize_cpu: float
    list_cpu: float
    rss_mb: float


def environment(file: Path | None = None) -> dict[str, str]:
    """Return what a server is started with: none of our settings but the file, and bytecode that is kept."""
    ours = ("FIRMMEM_", "DEFAULT_NAMESPACE", "ENABLE_SEMANTIC_RERANK", LEAVES_BYTECODE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | ({"FIRMMEM_DB": str(file)} if file else {})


def started(command: list[str], file: Path | None = None) -> Start:
    """Start a server, ask what every client asks first, and end it."""
    began = time.perf_counter()
    with StdioClient(command, environment(file), cwd=ELSEWHERE) as client:
        client.initialize()
        initialized, used = time.perf_counter() - began, cpu(client)
        client.tools()
        listed, used_then = time.perf_counter() - began, cpu(client)
        time.sleep(0.2)  # until what starts in the background has settled
        resident = rss_mb(client)
        client.close()
    return Start(initialized, listed, used, used_then, resident)


def cpu(client: StdioClient) -> float:
    """Return the processor seconds that a server has used."""
    times = psutil.Process(client.process.pid).cpu_times()
    return times.user + times.system


def cpu_ns(client: StdioClient) -> int:
    """Return the processor nanoseconds of all threads of a server; 0 where the system does not tell."""
    threads = Path(f"/proc/{client.process.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads)


def rss_mb(client: StdioClient) -> float:
    return psutil.Process(client.process.pid).memory_info().rss / 1e6


@contextmanager
def serving(
    command: list[str], file: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[StdioClient]:
    """Hold a server that has answered the handshake."""
    with StdioClient(command, environment(file) | dict(settings or {}), cwd=ELSEWHERE, timeout_s=120) as client:
        client.initialize()
        client.tools()
        yield client
        client.close()


def timed(client: StdioClient, tool: str, arguments: dict[str, object]) -> tuple[float, str]:
    """Call a tool and return the seconds until its reply had been read, and the text of it.

    Raises:
        WrongAnswerError: The reply is an error.
    """
    began = time.perf_counter()
    reply = client.request("tools/call", {"name": tool, "arguments": arguments})
    seconds = time.perf_counter() - began
    result = reply.get("result", {"isError": True, "content": [{"text": str(reply)}]})
    said = "\n".join(part["text"] for part in result["content"])
    if result.get("isError") or said.startswith("unavailable"):
        raise WrongAnswerError(f"{tool}: {said[:300]}")
    return seconds, said
