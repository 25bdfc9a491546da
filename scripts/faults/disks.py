"""Disks that are full, that can't be written, that lose power. They need root, and Linux."""

import fcntl
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from support.stdio_client import StdioClient

from faults.oracle import Oracle
from faults.processes import GONE, writing
from faults.result import Result

Tick = Callable[[], object]
SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN: the disk takes nothing more, as when its power is gone
NO_LOG_FLUSH = struct.pack("I", 2)  # and what the journal had not yet written is lost too
TELLS = {"full": "full", "read-only": "can't be written"}


def obstacle() -> str:
    """Return why disks can't be mounted here, or nothing."""
    if not sys.platform.startswith("linux"):
        return "only Linux has these mounts"
    if os.geteuid() != 0:
        return "mounting needs root"
    return "" if shutil.which("mkfs.ext4") and shutil.which("mount") else "there is no mkfs.ext4"


@contextmanager
def mounted(folder: Path, *arguments: str) -> Iterator[Path]:
    """Hold something mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *arguments, str(folder)], check=True, capture_output=True)
    try:
        yield folder
    finally:
        for _ in range(20):
            if subprocess.run(["umount", str(folder)], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)


def full(folder: Path, *, rounds: int = 2, tick: Tick, seed: int = 11) -> Result:
    """A small disk fills up and is emptied: writes say so and go on without a restart, recall goes on throughout."""
    name = f"disk full, {rounds} times"
    if why := obstacle():
        return Result(name, 0, [], skipped=why)
    faults: list[str] = []
    chance = random.Random(seed)
    with mounted(folder / "full", "-t", "tmpfs", "-o", "size=6m", "tmpfs") as disk:
        oracle = Oracle(disk / "firmmem.db")
        with writing(oracle, chance) as client:
            for _ in range(rounds):
                filler = disk / "filler"
                fill_up(filler)
                faults += unavailable(oracle, client, chance, "full", 40)
                faults += silenced(client)
                filler.unlink()
                faults += halted(oracle, client, chance)
                tick()
            client.close()
        return Result(name, len(oracle.answered), faults + oracle.faults(), oracle)


def fill_up(filler: Path) -> None:
    """Take all room that is left."""
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)


def unavailable(oracle: Oracle, client: StdioClient, chance: random.Random, reason: str, most: int) -> list[str]:
    """Write until it is refused, which must name the reason; return what is wrong."""
    for _ in range(most):
        said = oracle.write(client, chance)
        if said.startswith("unavailable: "):
            oracle.errors.remove(said)
            return [] if TELLS[reason] in said else [f"the reason is not told: {said[:150]}"]
    return [f"no write was refused on a {reason} disk"]


def silenced(client: StdioClient) -> list[str]:
    """Recall, which must go on; return what is wrong."""
    said = client.text("firmmem_recall_memory", limit=100)  # among so many the first memory is told in any round
    return [] if "#1 " in said else [f"recall does not go on: {said[:100]}"]


def halted(oracle: Oracle, client: StdioClient, chance: random.Random) -> list[str]:
    """Write once more, which must go on; return what is wrong."""
    said = oracle.write(client, chance)
    return [] if said.startswith("stored") else [f"writes do not go on: {said[:100]}"]


def read_only(folder: Path, *, rounds: int = 2, tick: Tick, seed: int = 12) -> Result:
    """A disk becomes read-only and writable again under a running server; another starts on it meanwhile."""
    name = f"disk read-only, {rounds} times"
    if why := obstacle():
        return Result(name, 0, [], skipped=why)
    faults: list[str] = []
    chance = random.Random(seed)
    with mounted(folder / "read-only", "-t", "tmpfs", "-o", "size=16m", "tmpfs") as disk:
        oracle = Oracle(disk / "firmmem.db")
        with oracle.server() as first:
            first.initialize()
            oracle.write(first, chance)
            first.close()
        for _ in range(rounds):
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, capture_output=True)
            with oracle.server() as client:
                client.initialize()
                faults += silenced(client)
                faults += unavailable(oracle, client, chance, "read-only", 1)
                subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True, capture_output=True)
                faults += halted(oracle, client, chance)
                client.close()
            tick()
        return Result(name, len(oracle.answered), faults + oracle.faults(), oracle)


def power_loss(folder: Path, *, rounds: int = 2, servers: int = 2, tick: Tick, seed: int = 13) -> Result:
    """Power goes while servers write: ext4 is shut down without flushing its journal, and mounted again."""
    name = f"power loss (ext4 shut down, journal not flushed), {rounds} times"
    if why := obstacle():
        return Result(name, 0, [], skipped=why)
    image = folder / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 * 2**20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    chance = random.Random(seed)
    oracle = Oracle(folder / "power" / "firmmem.db")
    faults: list[str] = []
    uncounted = lost = 0
    for _ in range(rounds):
        try:
            with mounted(folder / "power", "-o", "loop", str(image)) as disk:
                late = lose_power(oracle, disk, servers, chance)
        except subprocess.CalledProcessError as error:
            return Result(name, 0, [], skipped=f"a loop file can't be mounted ({error.stderr.decode().strip()})")
        except OSError as error:
            return Result(name, 0, [], skipped=f"ext4 can't be shut down ({error.strerror})")
        with mounted(folder / "power", "-o", "loop", str(image)):
            faults += oracle.faults()
            uncounted += len(late)
            lost += len(Oracle(oracle.db, late).held()["lost"])  # type: ignore[arg-type]
        tick()
    done = Result(name, len(oracle.answered), faults, oracle)
    return done.noting(f"not counted: {uncounted} answers read once the disk was gone, {lost} of them not kept")


def lose_power(oracle: Oracle, disk: Path, servers: int, chance: random.Random) -> list[tuple[int, str]]:
    """Let servers write until the disk is shut down, then end them; return what was answered after that."""
    clients = [oracle.server() for _ in range(servers)]
    down = threading.Event()

    def live(number: int) -> None:
        mine = random.Random(f"{chance.random()} {number}")
        with suppress(*GONE):
            clients[number].initialize()
            while not down.is_set():
                oracle.write(clients[number], mine)

    threads = [threading.Thread(target=live, args=(number,)) for number in range(servers)]
    for thread in threads:
        thread.start()
    oracle.await_answers(10 * servers)
    time.sleep(chance.random() * 0.2)
    descriptor = os.open(disk, os.O_RDONLY)
    gone = time.monotonic()
    try:
        fcntl.ioctl(descriptor, SHUTDOWN, NO_LOG_FLUSH)
    finally:
        os.close(descriptor)
        down.set()
        for client in clients:
            client.process.kill()
        for thread in threads:
            thread.join()
        for client in clients:
            client.__exit__()
    oracle.errors.clear()  # a disk that is gone is told to clients
    # A machine without power answers nothing. One whose disk alone is shut down does, and ext4 may let an fsync that is
    # under way at that moment end as though it had succeeded.
    return oracle.forget_since(gone)
