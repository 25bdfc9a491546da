"""The real server as clients start it: `python -m firmmem`, spoken to over its pipes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from support.stdio_client import StdioClient
from support.stores import in_another_process

SERVER = [sys.executable, "-m", "firmmem"]
VALID = {
    "firmmem_write_core_fact": {"fact": "Is called Ada"},
    "firmmem_write_strategic_memory": {"summary": "Ship in May", "goal_id": "beta"},
    "firmmem_write_event_memory": {"summary": "The cat sleeps"},
    "firmmem_recall_memory": {"query": "cat"},
    "firmmem_memory_feedback": {"memory_ids": [1], "outcome": "positive"},
    "firmmem_archive_memory": {"memory_ids": [1]},
}
TEXT = "用户喜欢雾凇拼音输入法 🎉 café"

posix = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors as POSIX has them")
Start = Callable[..., AbstractContextManager[StdioClient]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a server that knows nothing of this machine but a home folder of its own."""

    def begin(command: list[str] = SERVER, cwd: Path = tmp_path, **environment: str) -> StdioClient:
        kept = {
            name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "COVERAGE_PROCESS_START") if name in os.environ
        }
        home = {name: str(tmp_path / "home") for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA")}
        return StdioClient(command, env={**kept, **home, **environment}, cwd=cwd)

    return begin


def write(client: StdioClient, summary: str) -> str:
    return client.text("firmmem_write_event_memory", summary=summary)


def recall(client: StdioClient, query: str = "", **said: object) -> list[str]:
    lines = client.text("firmmem_recall_memory", query=query, **said).splitlines()
    return [line for line in lines if line.startswith("#")]


def test_from_any_folder_and_without_settings_it_is_the_same_file(start: Start, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with start(cwd=tmp_path / folder) as client:
            client.initialize()
            write(client, f"written from {folder}")
            assert len(recall(client, "written")) == (1 if folder == "one" else 2)
            assert client.close() == 0
    assert [path.name for path in tmp_path.rglob("*.db")] == ["firmmem.db"]
    assert not any((tmp_path / "one").iterdir())


@pytest.mark.parametrize("name", ["notes/mine.db", "~/notes/mine.db"])
def test_a_relative_file_and_a_home_do_not_depend_on_the_folder(start: Start, tmp_path: Path, name: str) -> None:
    with start(cwd=tmp_path.parent, FIRMMEM_DB=name) as client:
        client.initialize()
        write(client, "The cat sleeps")
    assert [path.name for path in (tmp_path / "home").rglob("*.db")] == ["mine.db"]


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0", "LANG": "C", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_chinese_goes_in_and_out_whatever_the_locale(start: Start, locale: dict[str, str]) -> None:
    with start(**locale) as client:
        client.initialize()
        assert write(client, TEXT) == "stored #1 draft"
        [line] = recall(client, "雾凇拼音")
        assert line.endswith(TEXT)
        assert client.close() == 0


def test_a_line_that_is_no_utf_8_is_answered_and_the_server_lives(start: Start) -> None:
    with start() as client:
        client.initialize()
        client.send_line(b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"\xff\xfe"}}')
        assert client.receive()["error"]
        assert write(client, TEXT) == "stored #1 draft"


def test_time_zones_change_nothing(start: Start) -> None:
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        with start(TZ=zone) as client:
            client.initialize()
            write(client, "The cat sleeps")
            [line] = recall(client, "cat", explain=True, since="1 hour ago", until="now")
            assert recall(client, until="1 hour ago") == []
            [used] = [
                each for each in client.text("firmmem_recall_memory", explain=True).splitlines() if "time used" in each
            ]
            assert line.split()[2] == used.removeprefix("time used: ")[:10]
            client.close()


def test_nothing_but_messages_is_written_to_stdout_whatever_is_printed(start: Start, tmp_path: Path) -> None:
    (tmp_path / "noisy").mkdir()
    (tmp_path / "noisy" / "aiosqlite.py").write_text(NOISY_DEPENDENCY)
    noise = {"PYTHONPATH": str(tmp_path / "noisy"), "PYTHONWARNINGS": "always", "FIRMMEM_LOG_LEVEL": "INFO"}
    with start(**noise) as client:
        client.initialize()
        assert write(client, "The cat sleeps") == "stored #1 draft"
        assert len(recall(client, "cat")) == 1
        client.process.stdin.close()  # type: ignore[union-attr]
        assert client.rest() == []
        assert client.wait() == 0
        assert "printed while it is imported" in client.stderr()
        assert "by another way" in client.stderr()
        assert "The cat sleeps" not in client.stderr()


NOISY_DEPENDENCY = """
import os, sys, warnings
print("printed while it is imported")
os.write(1, b"by another way\\n")
os.system("echo and by a child")
warnings.warn("old")
sys.path.remove(os.path.dirname(__file__))
del sys.modules[__name__]
import aiosqlite
sys.modules[__name__] = aiosqlite
"""


@pytest.mark.parametrize("end", ["close", "terminate"])
def test_the_end_of_input_and_a_request_to_end_lose_nothing(start: Start, end: str) -> None:
    if end == "terminate" and os.name != "posix":
        pytest.skip("Windows has no SIGTERM")
    with start() as client:
        client.initialize()
        for number in range(20):
            write(client, f"statement {number}")
        assert getattr(client, end)() == 0
    with start() as client:
        client.initialize()
        assert len(recall(client, limit=100, token_budget=20_000)) == 20


@pytest.mark.parametrize("end", ["close", "terminate"])
def test_what_a_recall_leaves_to_be_noted_is_in_the_file_after_a_clean_end(
    start: Start, tmp_path: Path, end: str
) -> None:
    if end == "terminate" and os.name != "posix":
        pytest.skip("Windows has no SIGTERM")
    db = tmp_path / "firmmem.db"
    with start(FIRMMEM_DB=str(db)) as client:
        client.initialize()
        write(client, "The cat sleeps")
        for _ in range(7):
            recall(client, "cat")
        assert getattr(client, end)() == 0
    done = in_another_process(
        """
        import sys
        from firmmem.store.sqlite import connect
        print(connect(sys.argv[1]).execute("SELECT memory, times FROM exposure").fetchall())
        """,
        db,
    )
    assert done.stdout == "[(1, 7)]\n", done.stderr


def test_requests_in_flight_at_the_end_of_input_are_answered_and_kept(start: Start) -> None:
    with start() as client:
        client.initialize()
        for number in range(30):
            call = {"name": "firmmem_write_event_memory", "arguments": {"summary": f"statement {number}"}}
            client.send("tools/call", call, id_=100 + number)
        client.process.stdin.close()  # type: ignore[union-attr]
        answers = client.rest()
        assert {answer["id"] for answer in answers} == set(range(100, 130))
        assert client.wait() == 0
    with start() as client:
        client.initialize()
        assert len(recall(client, limit=100, token_budget=20_000)) == 30


@posix
def test_an_interrupt_does_not_hang(start: Start) -> None:
    with start() as client:
        client.initialize()
        write(client, "The cat sleeps")
        client.process.send_signal(signal.SIGINT)
        assert client.wait() == 0


@posix
def test_what_was_answered_survives_a_kill(start: Start) -> None:
    with start() as client:
        client.initialize()
        for number in range(20):
            write(client, f"statement {number}")
        client.kill()
    with start() as client:
        client.initialize()
        assert len(recall(client, "statement", limit=100, token_budget=20_000)) == 20


@posix
def test_the_server_ends_when_its_client_dies_and_the_pipe_stays_open(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    answers, end = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run({SERVER!r})"],
        stdin=reading,
        stdout=end,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    os.close(reading)
    os.close(end)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    os.write(writing, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode() + b"\n")
    with os.fdopen(answers, "rb") as output:
        assert json.loads(output.readline())["id"] == 1
        parent.kill()
        parent.wait()
        assert output.read() == b""  # it ends when the last holder of the pipe, the server, has ended
    os.close(writing)


def test_two_servers_on_one_file_see_each_others_changes_at_once(start: Start) -> None:
    with start() as one, start() as other:
        one.initialize()
        other.initialize()
        assert write(one, "The cat sleeps") == "stored #1 draft"
        assert len(recall(other, "cat")) == 1
        assert write(other, "the cat sleeps.") == "already known: #1 draft"
        assert other.text("firmmem_archive_memory", memory_ids=[1]) == "#1 archived"
        assert recall(one, "cat") == []
        assert one.text("firmmem_archive_memory", memory_ids=[1]) == "#1 is already archived"


@pytest.fixture(params=["damaged", "a setting", "an unfilled variable", "a folder that can not be made"])
def wrong(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Environments in which no memory can be kept."""
    (tmp_path / "damaged.db").write_bytes(b"not a database " * 100)
    return {
        "damaged": {"FIRMMEM_DB": str(tmp_path / "damaged.db")},
        "a setting": {"DRAFT_BASE_HALF_LIFE": "a week"},
        "an unfilled variable": {"FIRMMEM_DB": "${HOME}/firmmem.db"},
        "a folder that can not be made": {"FIRMMEM_DB": str(tmp_path / "damaged.db" / "below" / "x.db")},
    }[request.param]


def test_what_makes_it_unusable_is_told_by_every_tool_after_the_handshake(start: Start, wrong: dict[str, str]) -> None:
    with start(**wrong) as client:
        assert client.initialize()["serverInfo"]["name"] == "firmmem"
        assert len(client.tools()) == 6
        for tool, arguments in VALID.items():
            result = client.call(tool, **arguments)
            assert result["isError"] is False
            [part] = result["content"]
            assert part["text"].startswith("unavailable: ")
            name, value = next(iter(wrong.items()))
            assert name in part["text"] or value in part["text"] or "damaged.db" in part["text"]
        assert client.close() == 0


def test_a_switch_that_is_neither_on_nor_off_is_warned_of_and_off(start: Start) -> None:
    with start(FIRMMEM_NAMESPACE_LOCK="maybe", DEFAULT_NAMESPACE="mine") as client:
        client.initialize()
        text = client.text("firmmem_write_event_memory", summary="The cat sleeps", namespace="other")
        assert text == "stored #1 draft"
        client.close()
        assert "FIRMMEM_NAMESPACE_LOCK" in client.stderr()


def test_the_handshake_advertises_tools_alone(start: Start) -> None:
    with start() as client:
        hello = client.initialize()
        assert set(hello["capabilities"]) - {"experimental"} == {"tools"}
        assert client.request("resources/list")["error"]["code"] == -32601
        first = client.tools()
        assert client.tools() == first


def test_a_start_imports_nothing_that_only_some_servers_or_later_work_need(tmp_path: Path) -> None:
    script = """
import sys
import anyio
from firmmem.edge import server
from firmmem.environment import read_settings
server.build_server(read_settings())
anyio.run(server.list_tools, None, None)
late = {
    "rich", "typer", "dotenv", "numpy", "onnxruntime", "firmmem.cli", "firmmem.upkeep", "firmmem.memory.recall.meaning",
    "firmmem.encoder.embedding",
}
assert not late & set(sys.modules), late & set(sys.modules)
"""
    home = {name: str(tmp_path) for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CONFIG_HOME")}
    subprocess.run([sys.executable, "-c", script], env=os.environ | home | {"FIRMMEM_ENV_FILE": ""}, check=True)
