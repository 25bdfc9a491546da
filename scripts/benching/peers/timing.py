"""Timing peers: in a round every question goes to each of them in turn, to FirmMem and the bare server too."""

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.stdio_client import StdioClient
from tqdm import tqdm

from benching import servers, store
from benching.peers import ours
from benching.peers.environments import LeftOutError, installed
from benching.peers.filling import file_in, filled, serving
from benching.peers.peer import Call, Peer
from benching.peers.questions import questions
from benching.recall import PAUSE_S, WARM_UP, milliseconds

ENOUGH_SECONDS = 60.0  # after which a peer is not asked a question again
FAILURES = (servers.WrongAnswerError, EOFError, OSError, ValueError, KeyError, AssertionError)  # of a peer


@dataclass(frozen=True)
class Asked:
    """A peer's times for one question, in milliseconds, and the memories that a reply held, as medians."""

    median: float
    p95: float
    cpu: float
    returned: float
    times: int


@dataclass(frozen=True)
class Stand:
    """How one peer stands, at one size; `pace` is memories a second while it was filled, 0 where unknown."""

    name: str
    asked: dict[str, Asked]
    rss_mb: float
    file_mb: float
    pace: float


@dataclass(frozen=True)
class Compared:
    """What was measured at one size, and why peers are not among it."""

    size: int
    rounds: int
    stands: list[Stand]
    left_out: dict[str, str]


@dataclass
class Seat:
    """A peer whose server runs, and its answers so far: seconds, processor seconds, memories."""

    peer: Peer
    client: StdioClient
    file_mb: float
    pace: float
    answers: dict[str, list[tuple[float, float, int]]] = field(default_factory=dict)


def compare(folder: Path, size: int, rounds: int, limit_seconds: float, peers: Sequence[Peer]) -> Compared:
    """Install and fill each peer where it is not yet, and ask those that are ready in turn."""
    left_out: dict[str, str] = {}
    with ExitStack() as held:
        file = store.filled(folder, size, ours.shared, "shared")
        seats = [held.enter_context(seated(*each)) for each in ((ours.ECHO, folder), (ours.FIRMMEM, folder, file))]
        for peer in peers:
            try:
                home = installed(peer, folder)
                data, pace = filled(peer, home, folder, size, limit_seconds)
                seats.append(held.enter_context(seated(peer, home, data, pace)))
            except (LeftOutError, *FAILURES) as error:
                left_out[peer.name] = in_a_line(error)
        ask_all(seats, left_out, size, rounds)
        return Compared(size, rounds, [stand(seat) for seat in seats], left_out)


@contextmanager
def seated(peer: Peer, home: Path, source: Path | None = None, pace: float = 0.0) -> Iterator[Seat]:
    """Hold a peer's server on a copy of its file, or of the folder that the file is in; the writes change the copy."""
    with tempfile.TemporaryDirectory(dir=source.parent if source else None) as copy:
        data = Path(copy)
        if source and source.is_dir():
            shutil.copytree(source, data, dirs_exist_ok=True)
        elif source:
            shutil.copyfile(source, file_in(data))
        file_mb = sum(each.stat().st_size for each in data.iterdir()) / 1e6
        with serving(peer, home, data) as client:
            yield Seat(peer, client, file_mb, pace)


def ask_all(seats: list[Seat], left_out: dict[str, str], size: int, rounds: int) -> None:
    """Ask, from another peer on each round; one that fails is taken from the seats and left out."""
    asked = questions(size)
    for number in tqdm(range(-WARM_UP, rounds), desc=f"measure {size:,}", unit=" rounds", mininterval=1):
        for name, call_of in asked.items():
            first = number % len(seats)
            for seat in (*seats[first:], *seats[:first]):
                try:
                    ask(seat, name, call_of(seat.peer, number + WARM_UP), counts=number >= 0)
                except FAILURES as error:
                    if not seat.peer.package:
                        raise
                    seat.client.kill()
                    seats.remove(seat)
                    left_out[seat.peer.name] = f"{name}: {in_a_line(error)}"


def in_a_line(error: Exception) -> str:
    """Return the last line of what is said of an error: of a server that broke, the one that says why."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


def ask(seat: Seat, name: str, call: Call, *, counts: bool) -> None:
    answers = seat.answers.setdefault(name, [])
    if sum(seconds for seconds, _, _ in answers) > ENOUGH_SECONDS:
        return
    before = servers.cpu_ns(seat.client)
    seconds, said = servers.timed(seat.client, call.tool, call.arguments)
    time.sleep(PAUSE_S)
    used = (servers.cpu_ns(seat.client) - before) / 1e9
    if counts:
        answers.append((seconds, used, call.count(said)))


def stand(seat: Seat) -> Stand:
    asked = {name: summary(answers) for name, answers in seat.answers.items()}
    return Stand(seat.peer.name, asked, servers.rss_mb(seat.client), seat.file_mb, seat.pace)


def summary(answers: Sequence[tuple[float, float, int]]) -> Asked:
    seconds, used, counted = zip(*answers, strict=True)
    median, p95 = (milliseconds(seconds, share) for share in (0.5, 0.95))
    return Asked(median, p95, statistics.median(used) * 1000, statistics.median(counted), len(answers))
