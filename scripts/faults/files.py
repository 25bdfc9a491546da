"""A file that is damaged, loses its WAL, is moved, deleted or closed to its user; and a clock that is set."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from support.stdio_client import StdioClient

from faults.oracle import Oracle
from faults.processes import writing
from faults.result import Result

Tick = Callable[[], object]
PAGE = 4096
TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("firmmem_write_core_fact", {"fact": "Is called Ada"}),
    ("firmmem_write_strategic_memory", {"summary": "Ship in May", "goal_id": "beta"}),
    ("firmmem_write_event_memory", {"summary": "The cat sleeps"}),
    ("firmmem_recall_memory", {}),
    ("firmmem_recall_memory", {"query": "the cat"}),
    ("firmmem_memory_feedback", {"memory_ids": [1], "outcome": "positive"}),
    ("firmmem_archive_memory", {"memory_ids": [1]}),
)
HOUR, YEARS = 3600.0, 3650 * 86_400.0
STEPS = (HOUR, -HOUR, YEARS, 0.0, -YEARS, 0.0)  # of the clock, from what it is


def damaged(folder: Path, *, files: int = 6, tick: Tick, seed: int = 31) -> Result:
    """Damage copies of a file: none ends a server or turns into an empty one, and a backup heals each."""
    oracle, chance = Oracle(folder / "whole.db"), random.Random(seed)
    with writing(oracle, chance) as client:
        for _ in range(30):
            oracle.write(client, chance)
        client.close()
    backup = folder / "backup"
    command(oracle.db, "backup", str(backup))
    faults: list[str] = []
    told = 0
    for number in range(files):
        broken = Oracle(folder / f"damaged {number}.db", oracle.answered)
        shutil.copy(oracle.db, broken.db)
        kind = damage(broken.db, number, chance)
        said = answers(broken)
        told += any(each.startswith("unavailable: ") for each in said)
        faults += [f"{kind}: {each}" for each in said if "Nothing is remembered here yet" in each]
        if any(each.startswith("unavailable: ") for each in said) and not command(broken.db, "doctor").returncode:
            faults.append(f"{kind}: doctor finds nothing wrong")
        restored = command(broken.db, "backup", "restore", "--yes", str(backup))
        faults += [f"{kind}: not restored: {restored.stderr[-200:]}"] if restored.returncode else []
        faults += [f"{kind}, restored: {each}" for each in broken.faults()]
        tick()
    done = Result(f"{files} damaged files, each restored from a backup", len(oracle.answered), faults, oracle)
    return done.noting(f"{told} told by a tool")


def damage(path: Path, number: int, chance: random.Random) -> str:
    """Damage a file that nobody has open, in the ways in turn; return how."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        match number % 4:
            case 0:
                file.write(chance.randbytes(100))
                return "header"
            case 1:
                for _ in range(chance.randrange(1, 12)):
                    file.seek(PAGE * chance.randrange(1, size // PAGE))
                    file.write(chance.randbytes(PAGE))
                return "pages"
            case 2:
                file.truncate(chance.randrange(PAGE, size))
                return "cut short"
            case _:
                for _ in range(chance.randrange(1, 200)):
                    file.seek(chance.randrange(100, size))
                    file.write(chance.randbytes(1))
                return "bytes"


def answers(oracle: Oracle) -> list[str]:
    """Return what every tool says of a file, none of which may be an error, over a server that lives and ends well."""
    said = []
    with oracle.server() as client:
        client.initialize()
        for tool, arguments in TOOLS:
            result = client.call(tool, **arguments)
            said.append("\n".join(part["text"] for part in result["content"]))
            if result.get("isError"):
                oracle.errors.append(f"{tool}: {said[-1][:120]}")
        if code := client.close():
            oracle.errors.append(f"the server ended with {code}")
    return said


def command(db: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of FirmMem on a file."""
    env = {**os.environ, "FIRMMEM_DB": str(db), "FIRMMEM_ENV_FILE": os.devnull}
    return subprocess.run(
        [sys.executable, "-m", "firmmem", *arguments], env=env, capture_output=True, text=True, check=False
    )


def taken(folder: Path, *, times: int = 4, tick: Tick, seed: int = 32) -> Result:
    """A file is moved away and back, its WAL deleted, its permissions taken, under a server that writes."""
    oracle, chance = Oracle(folder / "taken.db"), random.Random(seed)
    faults: list[str] = []
    with writing(oracle, chance) as client:
        for number in range(times):
            for _ in range(chance.randrange(1, 6)):
                oracle.write(client, chance)
            faults += (moved, without_wal, closed)[number % 3](oracle, client, chance)
            said = oracle.write(client, chance)
            faults += [] if said.startswith("stored") else [f"writes do not go on: {said[:120]}"]
            tick()
        client.close()
    return Result(
        f"the file moved and put back, its WAL deleted, its permissions taken, {times} times in all",
        len(oracle.answered), faults + oracle.faults(), oracle,
    )  # fmt: skip


def moved(oracle: Oracle, client: StdioClient, chance: random.Random) -> list[str]:
    """Move the file away and back; return what is wrong."""
    away = oracle.db.with_name("away.db")
    oracle.db.rename(away)
    said = oracle.write(client, chance)
    made_anew = oracle.db.exists()
    if not made_anew:
        away.rename(oracle.db)
    if said in oracle.errors:
        oracle.errors.remove(said)
    faults = [] if said.startswith("unavailable: ") else [f"a file that is gone is written to: {said[:80]}"]
    return [*faults, "a file that is gone was made anew"] if made_anew else faults


def without_wal(oracle: Oracle, _: StdioClient, chance: random.Random) -> list[str]:
    """Delete the WAL, and at times its index too."""
    Path(f"{oracle.db}-wal").unlink(missing_ok=True)
    if chance.random() < 0.5:
        Path(f"{oracle.db}-shm").unlink(missing_ok=True)
    return []


def closed(oracle: Oracle, client: StdioClient, chance: random.Random) -> list[str]:
    """Take the permission to write, and give it back; root may write all the same."""
    oracle.db.chmod(0o400)
    said = oracle.write(client, chance)
    oracle.db.chmod(0o600)
    with suppress(ValueError):
        oracle.errors.remove(said)
    return [] if said.startswith(("stored", "unavailable: ")) else [f"without permission: {said[:80]}"]


def stepped(folder: Path, *, steps: int = 6, tick: Tick, seed: int = 33) -> Result:
    """The clock is set under a server that writes: an hour, ten years, and back. Nothing may be lost or put away."""
    oracle, chance = Oracle(folder / "clock.db"), random.Random(seed)
    ahead = folder / "ahead"
    ahead.write_text("0", encoding="utf-8")
    faults = []
    host = Path(__file__).with_name("set_clock.py")
    env = {**os.environ, "FIRMMEM_DB": str(oracle.db), "FIRMMEM_ENV_FILE": os.devnull}
    with StdioClient([sys.executable, str(host), str(ahead)], env=env) as client:
        client.initialize()
        for number in range(steps):
            ahead.write_text(str(STEPS[number % len(STEPS)]), encoding="utf-8")
            for _ in range(3):
                oracle.write(client, chance)
            told = client.text("firmmem_recall_memory", limit=100, token_budget=20_000)
            shown = sum(line.startswith("#") for line in told.splitlines())
            if shown != min(100, len(oracle.answered)):
                faults.append(f"{shown} of {len(oracle.answered)} are recalled")
            tick()
        client.close()
    return Result(f"the clock set {steps} times", len(oracle.answered), faults + oracle.faults(), oracle)
