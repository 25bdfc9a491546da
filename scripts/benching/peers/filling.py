"""A peer's file with the made memories in it, written through its public interface, within a limit."""

import shutil
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter
from support.stdio_client import StdioClient
from tqdm import tqdm

from benching import servers
from benching.peers.environments import LeftOutError
from benching.peers.peer import Peer

PROJECTED_FROM = 0.1  # share of the limit after which the pace so far tells whether the rest would be within it


@dataclass(frozen=True)
class Filled:
    """How many memories of how many were written, in seconds."""

    package: str
    size: int
    written: int
    seconds: float
    limit_seconds: float

    @property
    def pace(self) -> float:
        return self.written / self.seconds

    def refuse(self) -> None:
        """Raise LeftOutError if not all were written."""
        if self.written < self.size:
            hours = self.size / self.pace / 3600
            raise LeftOutError(
                f"filling it was given up after {self.seconds:.0f} s and {self.written:,} memories; at that pace, "
                f"{self.pace:.1f} a second, all would take {hours:.1f} h or more"
            )


RECORD = TypeAdapter(Filled)


def filled(peer: Peer, home: Path, folder: Path, size: int, limit_seconds: float) -> tuple[Path, float]:
    """Return a folder of a peer's file, filled where it is not yet, and the memories a second that it took.

    Raises:
        LeftOutError: It would take longer than the limit.
    """
    data = folder / "data" / f"{peer.name}-{size}"
    record = data.with_name(f"{data.name}.json")
    found = RECORD.validate_json(record.read_bytes()) if record.exists() else None
    if not holds(found, peer, limit_seconds):
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True)
        found = fill(peer, home, data, size, limit_seconds)
        record.write_bytes(RECORD.dump_json(found))
    found.refuse()
    return data, found.pace


def holds(found: Filled | None, peer: Peer, limit_seconds: float) -> bool:
    """Tell whether a filling is of this package, and complete or given up at no smaller limit."""
    if found is None or found.package != peer.package:
        return False
    return found.written == found.size or found.limit_seconds >= limit_seconds


def fill(peer: Peer, home: Path, data: Path, size: int, limit_seconds: float) -> Filled:
    done = partial(Filled, peer.package, size, limit_seconds=limit_seconds)
    with (
        serving(peer, home, data) as client,
        tqdm(total=size, desc=f"fill {peer.name} {size:,}", unit=" memories", mininterval=1) as bar,
    ):
        began = time.perf_counter()
        seconds = 0.0
        for written in peer.fill(client, file_in(data), size):
            bar.update(written - bar.n)
            seconds = time.perf_counter() - began
            late = seconds > PROJECTED_FROM * limit_seconds and seconds / written * size > limit_seconds
            if late and written < size:
                return done(written=written, seconds=seconds)
    return done(written=size, seconds=seconds)


def serving(peer: Peer, home: Path, data: Path) -> AbstractContextManager[StdioClient]:
    """Hold a peer's server on the file in a folder; nothing of this environment is on its path."""
    file = file_in(data)
    apart = {"PYTHONPATH": ""} if peer.package else {}
    return servers.serving(peer.command(home, file), settings=apart | peer.settings(file))


def file_in(data: Path) -> Path:
    return data / "memories.db"
