"""Several processes on one file: each answered write is in it, whatever library they use."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from support.checkout import TESTS
from support.real_server import posix, rows, server, write
from support.stores import in_another_process

from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import connect, has_wal_bug


def test_four_servers_that_write_at_once_answer_with_exactly_the_ids_in_the_file(settings: Settings) -> None:
    answered: dict[int, str] = {}
    errors: list[str] = []

    def live(number: int) -> None:
        with server(settings.db) as client:
            client.initialize()
            for turn in range(50):
                text = f"statement {turn} of {number}"
                said = write(client, text)
                found = re.match(r"stored #(\d+) draft", said)
                if found:
                    answered[int(found[1])] = text
                else:
                    errors.append(said)
            assert client.close() == 0

    threads = [threading.Thread(target=live, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(answered) == 200
    assert rows(settings.db) == answered


@posix
def test_tools_and_commands_of_one_process_open_the_file_by_sqlite_alone_and_lose_nothing(
    settings: Settings, tmp_path: Path
) -> None:
    """A file opened and closed beside SQLite would drop its locks: answered writes would be gone."""
    with server(settings.db) as first:
        first.initialize()
        answered = [write(first, "The first").split()[1]]
        one = subprocess.Popen(
            [sys.executable, "-c", BOTH, str(settings.db), str(tmp_path)],
            cwd=TESTS,
            env={**os.environ, "FIRMMEM_DB": str(settings.db)},
            stdout=subprocess.PIPE,
            text=True,
        )
        turn = 0
        while one.poll() is None:
            with server(settings.db) as other:
                other.initialize()
                said = [write(client, f"statement {turn} of {client.process.pid}") for client in (first, other)]
                answered += [each.split()[1] for each in said]
                (other.kill if turn % 2 else other.close)()
            turn += 1
        assert one.stdout is not None
        told = json.loads(one.stdout.read())
        one.stdout.close()
        assert first.close() == 0
    assert told["opened"] == []
    assert told["failed"] == []
    ids = [int(each.removeprefix("#")) for each in (*answered, *told["answered"])]
    assert len(ids) == len(set(ids))
    assert set(ids) <= rows(settings.db).keys()


BOTH = """
import json, os, sys
import anyio
from pathlib import Path
from support.agent import serving
from support.stores import Clock
from typer.testing import CliRunner
from firmmem.cli import app
from firmmem.settings import Settings
db, folder = sys.argv[1:]
told = {"opened": [], "failed": [], "answered": []}
names = {db, f"{db}-wal", f"{db}-shm"}
sys.addaudithook(lambda event, args: told["opened"].append(str(args[0]))
    if event == "open" and str(args[0]) in names else None)
def commands(turn):
    for each in (["doctor"], ["export", f"{folder}/{turn}.jsonl"], ["backup"], ["doctor", "--repair"], ["recall", "a"]):
        done = CliRunner().invoke(app, each)
        if done.exit_code:
            told["failed"].append(f"{each}: {done.output[-200:]}")
async def main():
    async with serving(Settings(db=Path(db)), Clock()) as caller:
        for turn in range(4):
            for number in range(3):
                told["answered"].append((await caller.write(f"by both, {turn} {number}")).split()[1])
            await caller.call("write_core_fact", fact=f"Fact {turn}")
            await caller.call("write_strategic_memory", summary=f"Plan {turn}", goal_id="g")
            await caller.recall("statement")
            await caller.call("memory_feedback", memory_ids=[1], outcome="positive")
            await caller.call("archive_memory", memory_ids=[1], restore=bool(turn % 2))
            await anyio.to_thread.run_sync(commands, turn)
anyio.run(main)
print(json.dumps(told))
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python's own library has the bug no more")
def test_a_library_with_the_wal_bug_warns_once_and_uses_the_safe_journal(tmp_path: Path) -> None:
    (tmp_path / "pysqlite3.py").write_text("raise ImportError('not here')\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = in_another_process(
        "from firmmem.store.sqlite import has_wal_bug; print(has_wal_bug())", env={**os.environ, "PYTHONPATH": path}
    )
    if done.stdout.strip() != "True":
        pytest.skip("Python's own library has no such bug here")
    with server(tmp_path / "firmmem.db", PYTHONPATH=path) as client:
        client.initialize()
        assert write(client, "The cat sleeps").startswith("stored")
        assert client.close() == 0
        assert client.stderr().count("has a bug") == 1
    file = connect(tmp_path / "firmmem.db")
    assert file.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    file.close()
    doctor = in_another_process(
        "import sys; sys.argv = ['firmmem', 'doctor']; from firmmem.__main__ import main; main()",
        env={**os.environ, "PYTHONPATH": path, "FIRMMEM_DB": str(tmp_path / "firmmem.db")},
    )
    assert "has a bug that can damage a WAL file" in doctor.stdout


@pytest.mark.skipif(has_wal_bug(), reason="the file would not be in WAL mode")
def test_a_library_with_the_wal_bug_and_one_without_write_one_wal_file_in_turns(tmp_path: Path) -> None:
    (tmp_path / "pysqlite3.py").write_text("raise ImportError('not here')\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    db = tmp_path / "firmmem.db"
    open_connection(Settings(db=db)).close()
    with server(db) as one, server(db, PYTHONPATH=path) as other:
        for client in (one, other):
            client.initialize()
        for number in range(30):
            assert write(one, f"by the new library {number}").startswith("stored")
            assert write(other, f"by the old library {number}").startswith("stored")
        for client in (one, other):
            assert client.close() == 0
    assert len(rows(db)) == 60


@posix
def test_idle_servers_use_no_processor(settings: Settings) -> None:
    clients = [server(settings.db) for _ in range(4)]
    try:
        for client in clients:
            client.initialize()
            client.text("firmmem_recall_memory")
        time.sleep(2.0)
        processes = [psutil.Process(client.process.pid) for client in clients]
        before = [sum(process.cpu_times()[:2]) for process in processes]
        time.sleep(3.0)
        used = [sum(process.cpu_times()[:2]) - was for process, was in zip(processes, before, strict=True)]
        assert max(used) < 0.3  # of 3 seconds
    finally:
        for client in clients:
            client.__exit__()
