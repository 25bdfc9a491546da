"""Processes that write one file together, end, are killed, stopped, cancelled."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from support.stdio_client import StdioClient

from faults.oracle import Oracle, statement
from faults.result import Result

Tick = Callable[[], object]
GONE = (EOFError, BrokenPipeError, ConnectionError, OSError, TimeoutError, AssertionError)


def together(folder: Path, *, servers: int = 6, runs: int = 5, writes: int = 20, tick: Tick, seed: int = 1) -> Result:
    """Several clients write at once; their servers start at random and end by hanging up, SIGTERM or SIGKILL."""
    oracle = Oracle(folder / "together.db")
    ends = {"closed": 0, "terminated": 0, "killed": 0}

    def live(number: int) -> None:
        chance = random.Random(seed * 1000 + number)
        for _ in range(runs):
            time.sleep(chance.random() * 0.2)
            with oracle.server() as client:
                client.initialize()
                for _ in range(chance.randrange(1, writes)):
                    oracle.write(client, chance)
                end = chance.choice(list(ends))
                ends[end] += 1
                if end == "closed":
                    client.close()
                elif end == "terminated":
                    client.terminate()
                else:
                    client.send("tools/call", one(statement(chance)), 10_000)  # in flight as it dies
                    time.sleep(chance.random() * 0.02)
                    client.kill()
            tick()

    at_once([lambda number=number: live(number) for number in range(servers)])
    return Result(
        f"{servers} servers write at once, start and end at random ({_ends(ends)})", len(oracle.answered),
        oracle.faults(), oracle,
    )  # fmt: skip


def killed(folder: Path, *, kills: int = 5, tick: Tick, seed: int = 2) -> Result:
    """A server is killed in the middle of a write, again and again."""
    oracle = Oracle(folder / "killed.db")
    chance = random.Random(seed)
    for _ in range(kills):
        with oracle.server() as client:
            client.initialize()
            oracle.write(client, chance)
            killer = threading.Timer(chance.random() * 0.15, client.process.kill)
            killer.start()
            with suppress(*GONE):
                while True:
                    oracle.write(client, chance)
            killer.join()
            client.wait()
        tick()
    return Result(f"kill -9 at a random moment, {kills} times", len(oracle.answered), oracle.faults(), oracle)


def all_killed(folder: Path, *, servers: int = 4, rounds: int = 3, tick: Tick, seed: int = 3) -> Result:
    """All servers of a file are killed at one moment."""
    oracle = Oracle(folder / "all.db")
    for turn in range(rounds):
        clients = [oracle.server() for _ in range(servers)]

        def live(client: StdioClient, number: int, turn: int = turn) -> None:
            chance = random.Random(f"{seed} {turn} {number}")
            with suppress(*GONE):
                client.initialize()
                while True:
                    oracle.write(client, chance)

        threads = [threading.Thread(target=live, args=(client, number)) for number, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        oracle.await_answers(10 * servers)
        time.sleep(random.Random(seed + turn).random() * 0.2)
        for client in clients:
            client.process.kill()
        for thread in threads:
            thread.join()
        for client in clients:
            client.__exit__()
        tick()
    return Result(
        f"kill -9 of all {servers} servers at once, {rounds} times", len(oracle.answered), oracle.faults(), oracle
    )


def stopped(folder: Path, *, stops: int = 2, seconds: float = 1.0, tick: Tick, seed: int = 4) -> Result:
    """One of two servers is stopped, as a laptop that sleeps, while the other writes."""
    oracle = Oracle(folder / "stopped.db")
    chance = random.Random(seed)
    with oracle.server() as sleeper, oracle.server() as other:
        for client in (sleeper, other):
            client.initialize()
            oracle.write(client, chance)  # the file is made
        for _ in range(stops):
            sleeper.send("tools/call", one(statement(chance)), 20_000)
            time.sleep(chance.random() * 0.01)
            os.kill(sleeper.process.pid, signal.SIGSTOP)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                oracle.write(other, chance)
            os.kill(sleeper.process.pid, signal.SIGCONT)
            sleeper.receive()
            tick()
    held_up = [said for said in oracle.errors if "held by another process" in said]
    oracle.errors = [said for said in oracle.errors if said not in held_up]
    result = Result(f"a server stopped (SIGSTOP), {stops} times", len(oracle.answered), oracle.faults(), oracle)
    return result.noting(f"{len(held_up)} writes told that the file is held: it was stopped inside a transaction")


def cancelled(folder: Path, *, requests: int = 30, tick: Tick, seed: int = 5) -> Result:
    """Requests are called off at random moments; then this server and another must still write."""
    oracle = Oracle(folder / "cancelled.db")
    chance = random.Random(seed)
    faults = []
    with oracle.server() as client, oracle.server() as other:
        for each in (client, other):
            each.initialize()
        oracle.write(client, chance)
        for number in range(requests):
            id_ = 1_000_000 + number
            client.send("tools/call", one(statement(chance)), id_)
            until = time.perf_counter() + chance.random() * 0.01
            while time.perf_counter() < until:
                pass
            client.send("notifications/cancelled", {"requestId": id_})
            if number % 5 == 0:
                for each in (client, other):
                    said = oracle.write(each, chance)
                    if not said.startswith("stored"):
                        faults.append(f"after a cancelled request: {said[:100]}")
            tick()
    return Result(
        f"{requests} requests cancelled at random moments", len(oracle.answered), faults + oracle.faults(), oracle
    )


def idle(folder: Path, *, servers: int = 30, seconds: float = 20.0, tick: Tick) -> Result:
    """Many servers have the file open and nothing to do."""
    oracle = Oracle(folder / "idle.db")
    clients = [oracle.server() for _ in range(servers)]
    try:
        for client in clients:
            client.initialize()
            oracle.write(client, random.Random(client.process.pid))
            tick()
        time.sleep(5.0)
        processes = [psutil.Process(client.process.pid) for client in clients]
        before = [sum(process.cpu_times()[:2]) for process in processes]
        time.sleep(seconds)
        used = [sum(process.cpu_times()[:2]) - was for process, was in zip(processes, before, strict=True)]
    finally:
        for client in clients:
            client.__exit__()
    most = 100 * max(used) / seconds
    faults = [f"a server used {most:.1f} % of a core"] if most > 3 else []
    done = Result(f"{servers} idle servers", len(oracle.answered), faults + oracle.faults(), oracle)
    return done.noting(f"{100 * sum(used) / seconds:.1f} % of a core all together, {most:.2f} % the busiest")


def at_once(jobs: list[Callable[[], None]]) -> None:
    """Run jobs in threads of their own, and raise what one of them raised."""
    raised: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - handed on below
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def one(summary: str) -> dict[str, object]:
    """Return the parameters of a call that writes."""
    return {"name": "firmmem_write_event_memory", "arguments": {"summary": summary}}


def _ends(ends: dict[str, int]) -> str:
    return ", ".join(f"{count} {how}" for how, count in ends.items())


@contextmanager
def writing(oracle: Oracle, chance: random.Random) -> Iterator[StdioClient]:
    """Hold a server that has written once."""
    with oracle.server() as client:
        client.initialize()
        oracle.write(client, chance)
        yield client
