"""Commands that read, copy or fill a file that servers write, or that are killed while they do."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from faults.oracle import Oracle
from faults.result import Result

Tick = Callable[[], object]


def beside_servers(folder: Path, *, rounds: int = 2, tick: Tick, seed: int = 6) -> Result:
    """Every command that reads or copies the file runs while servers start, write and end."""
    oracle = Oracle(folder / "commands.db")
    chance = random.Random(seed)
    with oracle.server() as client:
        client.initialize()
        oracle.write(client, chance)
    stop = threading.Event()
    faults: list[str] = []

    def live(number: int) -> None:
        mine = random.Random(f"{seed} {number}")
        while not stop.is_set():
            with oracle.server() as client:
                client.initialize()
                for _ in range(10):
                    oracle.write(client, mine)
                client.text("firmmem_recall_memory", query="ba")
                client.text("firmmem_memory_feedback", memory_ids=[1], outcome="positive")
                client.close()

    def run(*arguments: str) -> None:
        env = {**os.environ, "FIRMMEM_DB": str(oracle.db), "FIRMMEM_ENV_FILE": os.devnull}
        done = subprocess.run(
            [sys.executable, "-m", "firmmem", *arguments], env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            faults.append(f"firmmem {arguments[0]}: {(done.stdout + done.stderr)[-200:]}")

    writers = [threading.Thread(target=live, args=(number,)) for number in range(3)]
    for writer in writers:
        writer.start()
    for number in range(rounds):
        for arguments in (
            ("doctor",), ("export", str(folder / f"{number}.jsonl")), ("backup",), ("recall", "ba"), ("core", "list"),
            ("doctor", "--repair"),
        ):  # fmt: skip
            run(*arguments)
        faults += deleted_and_held(oracle.db)
        tick()
    stop.set()
    for writer in writers:
        writer.join()
    return Result(
        "doctor, export, backup, recall while servers start, write and end", len(oracle.answered),
        faults + oracle.faults(), oracle,
    )  # fmt: skip


def deleted_and_held(db: Path) -> list[str]:
    """Return the deleted WAL files that servers hold open: what is written there would be lost."""
    from firmmem.doctor.location_checks import find_holders

    return [f"{holder} holds a deleted file" for holder in find_holders(db.resolve())[1]]


def import_killed(folder: Path, *, kills: int = 3, memories: int = 2000, tick: Tick, seed: int = 7) -> Result:
    """An import is killed at a random moment: none of it is seen, or all; and `undo` removes what is hidden."""
    source = Oracle(folder / "source.db")
    fill(source.db, memories)
    export = folder / "source.jsonl"
    command = [sys.executable, "-m", "firmmem"]
    env = {**os.environ, "FIRMMEM_ENV_FILE": os.devnull}
    subprocess.run([*command, "export", str(export), "--db", str(source.db)], env=env, capture_output=True, check=True)
    importing = [*command, "import", str(export), "--db"]
    began = time.monotonic()
    subprocess.run([*importing, str(folder / "whole.db")], env=env, capture_output=True, check=True)
    whole = time.monotonic() - began
    chance = random.Random(seed)
    faults, seen = [], {0: 0, memories: 0}
    for number in range(kills):
        target = folder / f"target {number}.db"
        process = subprocess.Popen(
            [*importing, str(target)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(whole * (0.3 + 1.2 * chance.random()))  # some end before they are killed
        process.kill()
        process.wait()
        shown = exported(command, target, env, faults)
        if shown not in seen:
            faults.append(f"{shown} of {memories} memories are seen after a killed import")
        else:
            seen[shown] += 1
        if not shown and target.exists():
            told = subprocess.run([*command, "runs", "--db", str(target)], env=env, capture_output=True, check=False)
            run = told.stdout.split(maxsplit=1)[:1]
            if run and run[0].isdigit():
                undo = [*command, "undo", run[0].decode(), "--db", str(target)]
                subprocess.run(undo, env=env, capture_output=True, check=False)
            left = Oracle(target).held()
            faults += [f"after undo: {left}"] if (left["rows"], left["integrity"]) != (0, "ok") else []
        tick()
    done = Result(f"an import of {memories:,} memories killed, {kills} times", kills, faults)
    return done.noting(f"none of it {seen[0]} times, all of it {seen[memories]} times")


def exported(command: list[str], target: Path, env: dict[str, str], faults: list[str]) -> int:
    """Return how many memories an export shows; what it says against them is a fault."""
    if not target.exists():
        return 0
    done = subprocess.run([*command, "export", "--db", str(target)], env=env, capture_output=True, check=False)
    said = done.stderr.decode()
    faults += [f"export: {said[-200:]}"] if done.returncode or "altered" in said else []
    return sum(line.startswith(b'{"type":"memory"') for line in done.stdout.splitlines())


def fill(db: Path, memories: int) -> None:
    """Fill a file by the product's own statements, in a process of its own."""
    script = (
        "import sys, random; from pathlib import Path; from firmmem.settings import Settings\n"
        "from firmmem.store.opening import open_connection; from firmmem.store.statements import transaction\n"
        "from support.stores import write_one\n"
        "from faults.oracle import statement\n"
        "settings = Settings(db=Path(sys.argv[1])); chance = random.Random(8); file = open_connection(settings)\n"
        "with transaction(file):\n"
        "    for _ in range(int(sys.argv[2])): write_one(file, settings, statement(chance))\n"
        "file.close()"
    )
    scripts = Path(__file__).resolve().parent.parent
    path = os.pathsep.join([str(scripts), str(scripts.parent / "tests"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-c", script, str(db), str(memories)], env=os.environ | {"PYTHONPATH": path}, check=True
    )
