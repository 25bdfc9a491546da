"""Reported faults of scale and safety, each as the whole kind it stands for; faults of disks are in test_faults.py."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import psutil
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support.agent import serving
from support.checkout import TESTS
from support.stdio_client import StdioClient
from support.stores import DAY, START, Clock, in_another_process, write_one

from firmmem.contract import Question
from firmmem.memory.recall.recall import recall
from firmmem.settings import Settings
from firmmem.store import database
from firmmem.store.database import open_database
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import connect, has_wal_bug
from firmmem.store.statements import transaction

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def server(db: Path, **environment: str) -> StdioClient:
    env = {**os.environ, "FIRMMEM_DB": str(db), "FIRMMEM_ENV_FILE": os.devnull, **environment}
    return StdioClient([sys.executable, "-m", "firmmem"], env=env)


@pytest.fixture
def client(settings: Settings) -> Iterator[StdioClient]:
    with server(settings.db) as opened:
        opened.initialize()
        yield opened


def write(client: StdioClient, summary: str) -> str:
    return client.text("firmmem_write_event_memory", summary=summary)


def rows(db: Path) -> dict[int, str]:
    """Return what is in the file, by another process."""
    done = in_another_process(
        """
        import json, sys
        from firmmem.store.sqlite import connect
        file = connect(sys.argv[1])
        print(json.dumps(file.execute("SELECT id, summary FROM memory").fetchall()))
        """,
        db,
    )
    assert done.returncode == 0, done.stderr
    return {int(id_): text for id_, text in json.loads(done.stdout)}


# Several clients, one file


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


# The file under a running server


@posix
def test_a_server_whose_file_is_replaced_serves_the_new_one(client: StdioClient, settings: Settings) -> None:
    assert write(client, "In the old file").startswith("stored")
    other = Settings(db=settings.db.with_name("other.db"))
    file = open_connection(other)
    with transaction(file):
        write_one(file, other, "In the new file")
    file.close()
    other.db.replace(settings.db)
    assert "In the new file" in client.text("firmmem_recall_memory")
    assert write(client, "Written after").startswith("stored #2")
    assert client.close() == 0
    assert rows(settings.db) == {1: "In the new file", 2: "Written after"}


@posix
def test_a_server_whose_file_is_deleted_says_so_and_makes_none(client: StdioClient, settings: Settings) -> None:
    assert write(client, "Before").startswith("stored")
    settings.db.unlink()
    for _ in range(2):
        assert write(client, "Nowhere").startswith("unavailable: ")
        assert "put it back" in client.text("firmmem_recall_memory")
    assert not settings.db.exists()
    assert client.close() == 0
    assert not settings.db.exists()


@posix
@pytest.mark.skipif(has_wal_bug(), reason="the rollback journal leaves nothing beside the file")
def test_a_wal_deleted_under_a_server_costs_no_answered_write(client: StdioClient, settings: Settings) -> None:
    answered = 0
    for number in range(3):
        for turn in range(5):
            answered += write(client, f"statement {turn} before {number}").startswith("stored")
        Path(f"{settings.db}-wal").unlink()
        if number:
            Path(f"{settings.db}-shm").unlink(missing_ok=True)
    assert write(client, "The last").startswith("stored")
    client.kill()
    assert answered == 15
    assert len(rows(settings.db)) == 16
    file = open_connection(settings, writes=False)
    assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    file.close()


@posix
def test_permissions_taken_from_an_open_file_lose_nothing(client: StdioClient, settings: Settings) -> None:
    assert write(client, "Before").startswith("stored")
    settings.db.chmod(0o400)
    said = write(client, "After")
    assert said.startswith(("stored", "unavailable: "))
    settings.db.chmod(0o600)
    assert write(client, "Later").startswith("stored")
    assert client.close() == 0
    assert ("After" in rows(settings.db).values()) is said.startswith("stored")


# Ends


@posix
@pytest.mark.parametrize("end", ["SIGTERM", "the end of input"])
def test_a_server_that_ends_while_it_is_busy_keeps_what_it_answered(settings: Settings, end: str) -> None:
    with server(settings.db) as client:
        client.initialize()
        for number in range(60):
            call = {"name": "firmmem_write_event_memory", "arguments": {"summary": f"statement {number}"}}
            client.send("tools/call", call, id_=1000 + number)
        first = client.receive()
        if end == "SIGTERM":
            client.process.send_signal(signal.SIGTERM)
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        answers = [first, *client.rest()]
        assert client.wait() == 0
    stored = [part["text"] for each in answers for part in each.get("result", {}).get("content", [])]
    ids = {int(text.split("#")[1].split()[0]) for text in stored if text.startswith("stored")}
    assert ids
    assert ids <= rows(settings.db).keys()


# Arguments


def test_sixteen_megabytes_are_refused_in_a_sentence_and_the_next_write_works(client: StdioClient) -> None:
    for name, value in (("summary", "x" * 2**24), ("summary", "雾" * 2**22), ("subject", "s" * 2**24)):
        arguments = {"summary": "A cat", name: value}
        said = client.text("firmmem_write_event_memory", **arguments)
        assert len(said) < 400
        assert "stored" not in said
    assert client.text("firmmem_recall_memory", query="x" * 2**24).startswith("No")
    assert write(client, "The cat sleeps").startswith("stored")


@pytest.mark.parametrize("bad", ["a\0b", "half \ud83d of a pair", "\udcff", "\0"])
def test_a_text_that_no_file_can_hold_is_a_sentence_and_nothing_is_stored(
    client: StdioClient, settings: Settings, bad: str
) -> None:
    params = {"name": "firmmem_write_event_memory", "arguments": {"summary": bad}}
    reply = client.request("tools/call", params)
    said = json.dumps(reply.get("error") or reply["result"])
    assert "stored" not in said
    assert write(client, "The cat sleeps").startswith("stored #1")


@pytest.mark.parametrize(
    "text",
    [
        "abc \u202edef\u202c ghi",
        "zero\u200bwidth\ufeff space",
        "عربي \u2067rtl\u2069 נסיון",
        "\U000e0041hidden\U000e007f tag",
    ],
)
def test_what_steers_the_eye_is_stored_without_it_and_found(client: StdioClient, text: str) -> None:
    assert write(client, text).startswith("stored")
    [line] = [each for each in client.text("firmmem_recall_memory").splitlines() if each.startswith("#1 ")]
    assert not set("\u202e\u202c\u200b\ufeff\u2067\u2069\U000e0041\U000e007f") & set(line)
    assert "#1 " in client.text("firmmem_recall_memory", query=text)


CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 5,
        "method": "tools/call",
        "params": {"name": "firmmem_write_event_memory", "arguments": {"summary": "by a malformed line"}},
    }
).encode()
MALFORMED = [
    b"", b" ", b"\t", b"hello", b"null", b"true", b"0", b"-1", b"1e999", b'"text"', b"[]", b"{}", b"[[]]", b"[1,2]",
    b"{",
    b"}", b"[", b'{"a":', b'{"jsonrpc"', b"\xff\xfe", b"\x00", b"\xef\xbb\xbf{}", b"\xc3\x28", b"'single'", b"NaN",
    b"Infinity", b"// comment", b"<xml/>", b"Content-Length: 2", b"{}{}", b'{"id":1}', b'{"jsonrpc":"1.0","id":1}',
    b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":{}}', b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"method":7}',
    b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}', CALL[:-1], CALL[1:],
    CALL.replace(b"malformed", b"\xff"), CALL.replace(b"malformed", b"\\ud800"), CALL + CALL, b"[" * 100_000,
    b'{"a":' * 50_000, CALL.replace(b"5", b"1" * 5_000),
]  # fmt: skip


def test_no_malformed_line_ends_the_server_or_stores_anything(client: StdioClient, settings: Settings) -> None:
    assert len(MALFORMED) > 42
    for line in MALFORMED:
        client.send_line(line)
    client.send("ping", {}, id_="after all of them")
    answers = []
    while not answers or answers[-1].get("id") != "after all of them":
        answers.append(client.receive())
    assert all("error" in each or each.get("result") == {} or each["result"].get("isError") for each in answers)
    assert write(client, "The cat sleeps").startswith("stored #1")
    assert client.close() == 0
    assert rows(settings.db) == {1: "The cat sleeps"}


@posix
def test_a_client_that_never_reads_holds_nobody_else_up(client: StdioClient, settings: Settings) -> None:
    for number in range(60):
        call = {"name": "firmmem_write_event_memory", "arguments": {"summary": f"statement {number} " + "word " * 200}}
        client.send("tools/call", call, id_=1000 + number)
        client.send("tools/call", {"name": "firmmem_recall_memory", "arguments": {"limit": 100}}, id_=5000 + number)
    with server(settings.db) as other:
        other.initialize()
        assert write(other, "The cat sleeps").startswith("stored")
        assert other.close() == 0
    client.process.send_signal(signal.SIGTERM)
    assert client.wait() == 0
    assert "The cat sleeps" in rows(settings.db).values()


# Clocks


@pytest.mark.parametrize("step", [3600.0, -3600.0, 3650 * DAY, -3650 * DAY])
async def test_a_clock_that_steps_and_comes_back_leaves_scores_order_and_memories(
    settings: Settings, clock: Clock, step: float
) -> None:
    async with open_database(settings) as opened:
        for number in range(30):
            await opened.write(write_one, settings, f"The office number {number} is in Lisbon", now=clock())
        question = Question("default", query="office Lisbon", limit=50, token_budget=20_000)
        before = await recall(opened, question, now=clock())
        clock.now += step
        during = await recall(opened, question, now=clock())
        await opened.write(write_one, settings, "Written while the clock was wrong", now=clock())
        for memory in during.memories:
            assert 0.0 <= memory.score <= 1.0
            assert 0.0 <= memory.decay <= 1.0
        clock.now = START
        after = await recall(opened, question, now=clock())
        assert [memory.id for memory in after.memories] == [memory.id for memory in before.memories]
        assert [memory.score for memory in after.memories] == [memory.score for memory in before.memories]
        written = await recall(opened, Question("default", query="clock wrong"), now=clock())
        assert [memory.summary for memory in written.memories] == ["Written while the clock was wrong"]


# What leaves the process


SECRET = "sk-ant-api03-" + "a1B2" * 12
REMEMBERED = "The heron nests by the mill"


def test_neither_a_memory_nor_a_secret_is_in_the_log_of_a_server(settings: Settings) -> None:
    with server(settings.db, FIRMMEM_LOG_LEVEL="INFO") as client:
        client.initialize()
        assert write(client, REMEMBERED).startswith("stored")
        said = write(client, f"The key is {SECRET}")
        assert "Anthropic key" in said
        assert SECRET not in said
        client.text("firmmem_recall_memory", query=f"heron {SECRET}")
        client.text("firmmem_memory_feedback", memory_ids=[1], outcome="positive", note=f"as {SECRET} says")
        client.text("firmmem_write_event_memory", summary="A cat", tags=[SECRET], namespace="x" * 300)
        client.text("firmmem_archive_memory", memory_ids=[1], reason="the heron left")
        client.text("firmmem_recall_memory", since=SECRET, limit=REMEMBERED)
        assert client.close() == 0
        log = client.stderr()
    assert "memory file" in log  # it does say something
    assert SECRET not in log
    assert "heron" not in log
    for path in settings.db.parent.iterdir():
        assert SECRET.encode() not in path.read_bytes()


HOSTILE = st.sampled_from(
    [
        "'; DROP TABLE memory; --", '" OR 1=1 --', "') UNION SELECT 1 --", "x' AND (SELECT 1) --", ":now", "?1",
        "words : *", 'NEAR("a" "b", 5)', "repeated : a", "a AND NOT b", "^start", "(((", '"', "{words repeated} : a",
        "../../etc/passwd", "/etc/passwd", "file:x?mode=memory", "C:\\x", "~root/x", "..", "%2e%2e", "\\\\host\\share",
        "${HOME}", "$(touch x)", "`touch x`", "{0.__class__}", "%s%n",
    ]
)  # fmt: skip
ANYTHING = st.one_of(HOSTILE, st.text(max_size=40), st.builds("{} {}".format, HOSTILE, st.text(max_size=10)))


@given(st.lists(ANYTHING, min_size=8, max_size=8))
@hypothesis_settings(max_examples=40, deadline=None)
def test_no_argument_reaches_sql_text_a_path_or_the_syntax_of_a_search(sent: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(db=Path(folder) / "firmmem.db")
        file = open_connection(settings)
        with transaction(file):
            write_one(file, settings, "The first memory stays")
        file.close()
        for statement in run_tools(settings, sent):
            assert not any(value in statement for value in sent if len(value) > 12)
        assert [path.name for path in Path(folder).iterdir()] == ["firmmem.db"]
        file = open_connection(settings, writes=False)
        assert file.execute("SELECT summary FROM memory WHERE id = 1").fetchone()[0] == "The first memory stays"
        assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        file.close()


def run_tools(settings: Settings, sent: list[str]) -> set[str]:
    """Call every tool with hostile arguments, and return the text of every statement that was prepared."""
    statements: set[str] = set()
    real = database.Connection.execute

    class Traced(database.Connection):
        def execute(self, sql: str, *parameters: object) -> object:  # type: ignore[override]
            statements.add(sql)
            return real(self, sql, *parameters)  # type: ignore[arg-type]

    async def call() -> None:
        async with serving(settings, Clock()) as caller:
            a, b, c, d, e, f, g, h = sent
            await caller.answer("write_event_memory", summary=a, goal_id=b, subject=c, tags=[d, e], branch=f)
            await caller.answer("write_event_memory", summary=h, namespace=g, supersedes=[a])
            await caller.answer("write_core_fact", fact=b, subject=d, tags=a)
            await caller.answer("write_strategic_memory", summary=c, goal_id=e, importance=f)
            await caller.answer(
                "recall_memory", query=a, goal_id=b, tags=[c], tiers=[d], branch=e, since=f, namespace=""
            )
            await caller.answer("recall_memory", query=" ".join(sent), include_archived=True, explain=True)
            await caller.answer("recall_memory", query=h, namespace=g, limit=a, token_budget=b)
            await caller.answer("memory_feedback", memory_ids=[a, 2], outcome="positive", note=b)
            await caller.answer("memory_feedback", memory_ids=[2], outcome=c, branch=f)
            await caller.answer("archive_memory", memory_ids=[2], goal_id=b, branch=f, reason=c)

    original, database.Connection = database.Connection, Traced  # type: ignore[misc]
    try:
        anyio.run(call)
    finally:
        database.Connection = original  # type: ignore[misc]
    return statements


KINDS_OF_NO_SECRET = (
    "The commit is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "The id is 123e4567-e89b-12d3-a456-426614174000",
    "It was at 2026-05-17T12:30:45.123456Z, or 1779020000",
    "The skill is called sk-learn-pipelines-and-grids",
)


def test_hashes_ids_and_times_are_stored_and_keys_are_not(client: StdioClient) -> None:
    for text in KINDS_OF_NO_SECRET:
        assert write(client, text).startswith("stored"), text
    chance = random.Random(5)  # noqa: S311
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for kind, shape in (("GitHub token", "ghp_{}"), ("OpenAI key", "sk-proj-{}"), ("Google API key", "AIza{}")):
        value = shape.format("".join(chance.choices(letters, k=35)))
        said = write(client, f"The token is {value}.")
        assert kind in said
        assert value not in said
