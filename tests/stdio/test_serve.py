import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checkout import TESTS
from support.stdio_client import StdioClient

from firmmem.stdio.client_wire import GRACE_S, Streams, Wire
from firmmem.stdio.jsonrpc import ENDS
from firmmem.stdio.pipes import LONGEST_LINE, Line, Lines, room_in_pipe

SERVER = [sys.executable, "-W", "error", str(TESTS / "support" / "echo_server.py")]
CLOSED = "lifespan: closed"

posix = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors as POSIX has them")


@pytest.fixture
def client() -> Iterator[StdioClient]:
    with StdioClient(SERVER) as client:
        client.initialize()
        yield client


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds


def call(id_: int, tool: str, **arguments: object) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}).encode()


def test_chinese_goes_in_and_out_intact_whatever_the_locale_says() -> None:
    env = os.environ | {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C", "PYTHONUTF8": "0"}
    with StdioClient(SERVER, env=env) as client:
        client.initialize()
        assert client.text("echo", text="雾凇拼音 🌫 naïve") == "雾凇拼音 🌫 naïve"
        client.send_line(json.dumps({"jsonrpc": "2.0", "id": "一", "method": "ping"}, ensure_ascii=False).encode())
        assert client.receive()["id"] == "一"
        assert client.text("noise") == "''"
        assert client.close() == 0


def test_nothing_but_messages_reaches_stdout_and_nothing_else_reads_stdin(client: StdioClient) -> None:
    assert client.text("noise") == "''"
    assert client.text("echo", text="still here") == "still here"
    assert client.close() == 0
    assert client.rest() == []
    for printed in ("a dependency prints at import", "printed: 你好", "written", "put", "child"):
        assert printed in client.stderr()


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (call(5, "echo", text="x").replace(b"x", b"\xff"), -32700, 5),
        (call(5, "echo", text="x").replace(b'"x"', b'"\\ud800"'), -32700, 5),
        (call(5, "echo", text="x")[:-3], -32700, 5),
        (b"hello", -32700, None),
        (b'{"jsonrpc":"2.0","id":5}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":5.5,"method":"ping"}', -32600, None),
        (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', -32600, None),
    ],
)
def test_a_line_that_is_no_message_gets_an_error_reply_and_the_server_lives(
    client: StdioClient, line: bytes, code: int, id_: int | None
) -> None:
    client.send_line(line)
    reply = client.receive()
    assert (reply["error"]["code"], reply["id"]) == (code, id_)
    assert client.text("echo", text="still here") == "still here"


def test_a_line_longer_than_the_cap_gets_an_error_reply_and_the_server_lives(client: StdioClient) -> None:
    client.send_line(call(5, "echo", text="x" * (LONGEST_LINE + 1)))
    reply = client.receive()
    assert reply["id"] == 5
    assert f"longer than {LONGEST_LINE} bytes" in reply["error"]["message"]
    assert client.text("echo", text="still here") == "still here"


def test_a_long_line_below_the_cap_is_read_and_its_reply_is_whole(client: StdioClient) -> None:
    text = "雾" * 500_000
    assert client.text("echo", text=text) == text


def test_blank_lines_and_windows_line_ends_are_nothing_to_complain_about(client: StdioClient) -> None:
    client.send_bytes(b"\n\r\n  \n" + call(5, "echo", text="x") + b"\r\n")
    assert client.receive()["id"] == 5


def test_error_replies_never_break_into_the_replies_of_tools(client: StdioClient) -> None:
    lines_sent = b"".join(call(id_, "echo", text="x" * 20_000) + b"\nnonsense\n" for id_ in range(100, 150))
    sender = threading.Thread(target=client.send_bytes, args=(lines_sent,))
    sender.start()
    replies = [client.receive() for _ in range(100)]
    assert sorted(reply["id"] for reply in replies if "result" in reply) == list(range(100, 150))
    assert sum("error" in reply for reply in replies) == 50
    sender.join()


def test_seven_requests_sent_without_waiting_get_seven_replies_before_the_end(client: StdioClient) -> None:
    client.send_bytes(b"".join(call(id_, "wait", seconds=0.2) + b"\n" for id_ in range(10, 17)))
    with at_most(2):
        assert client.close() == 0
    assert sorted(reply["id"] for reply in client.rest()) == list(range(10, 17))
    assert CLOSED in client.stderr()


def test_a_whole_conversation_may_be_piped_at_once() -> None:
    client_info = {"name": "pipe", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info}
    with StdioClient(SERVER) as client:
        client.send("initialize", hello, id_=1)
        client.send("notifications/initialized")
        client.send_bytes(b"".join(call(id_, "echo", text="x") + b"\n" for id_ in range(2, 1000)))
        client.send_bytes(call(1000, "echo", text="a last line without its end"))
        assert client.close() == 0
        assert sorted(reply["id"] for reply in client.rest()) == list(range(1, 1001))


def test_the_end_of_input_ends_the_server(client: StdioClient) -> None:
    with at_most(2):
        assert client.close() == 0
    assert CLOSED in client.stderr()


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("busy", [False, True])
def test_a_signal_ends_the_server_and_what_was_asked_is_answered(
    client: StdioClient, number: signal.Signals, busy: bool
) -> None:
    if busy:
        client.send_line(call(50, "wait", seconds=0.5))
        client.request("ping")
    client.process.send_signal(number)
    with at_most(2):
        assert client.wait() == 0
    assert [reply["id"] for reply in client.rest()] == ([50] if busy else [])
    assert CLOSED in client.stderr()


@posix
def test_a_signal_that_comes_twice_ends_the_server_once(client: StdioClient) -> None:
    client.process.terminate()
    assert client.terminate() == 0
    assert CLOSED in client.stderr()


@posix
def test_a_signal_before_the_server_serves_ends_it() -> None:
    script = "from firmmem.stdio import serve; serve.claim_stdio(); import signal; signal.raise_signal(signal.SIGTERM)"
    with StdioClient([sys.executable, "-c", script]) as client:
        assert client.wait() == 0


@pytest.mark.parametrize("tool", ["wait", "insist", "block"])
def test_a_request_that_takes_too_long_does_not_keep_the_server(client: StdioClient, tool: str) -> None:
    client.send_line(call(50, tool, seconds=30))
    if tool != "block":
        client.request("ping")
    with at_most(2):
        assert client.close() == 0
    assert (CLOSED in client.stderr()) == (tool == "wait")
    assert ("something was still running" in client.stderr()) == (tool != "wait")


def test_a_request_called_off_is_not_waited_for(client: StdioClient) -> None:
    client.send_line(call(50, "wait", seconds=30))
    client.send("notifications/cancelled", {"requestId": 50})
    with at_most(GRACE_S):
        assert client.close() == 0
    assert CLOSED in client.stderr()


def test_a_client_that_stops_reading_ends_the_server(client: StdioClient) -> None:
    assert client.process.stdout is not None
    client.process.stdout.close()
    client.send_line(call(50, "echo", text="x"))
    with at_most(2):
        assert client.wait() == 0
    assert CLOSED in client.stderr()
    assert "Traceback" not in client.stderr()


def test_a_client_that_reads_nothing_does_not_keep_the_server(client: StdioClient) -> None:
    client.send_line(call(50, "echo", text="x" * 2**20))
    assert client.process.stdin is not None
    client.process.stdin.close()
    with at_most(2):
        assert client.wait() == 0


@posix
def test_the_server_ends_when_its_client_dies_without_closing_the_pipe() -> None:
    parent = f"import subprocess, sys; subprocess.run({SERVER!r})"
    with StdioClient([sys.executable, "-c", parent]) as client:
        client.initialize()
        client.kill()
        assert client.rest() == []
        assert CLOSED in client.stderr()


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_descriptors_that_are_closed_at_the_start_are_not_reused(closed: str) -> None:
    with StdioClient(["sh", "-c", f'exec "$@" {closed}', "sh", *SERVER]) as client:
        if "<&-" not in closed and " " not in closed and closed != ">&-":
            client.initialize()
        assert client.close() == 0


def cut(chunks: list[bytes], longest: int = LONGEST_LINE) -> list[Line]:
    lines = Lines(longest)
    return [line for chunk in chunks for line in lines.add(chunk)] + lines.rest()


@given(st.lists(st.binary(max_size=8).map(lambda data: data.replace(b"a", b"\n")), max_size=8))
def test_lines_are_the_same_however_they_arrive(chunks: list[bytes]) -> None:
    whole = b"".join(chunks).split(b"\n")
    expected = whole if whole[-1] else whole[:-1]
    assert cut(chunks) == [(line, True) for line in expected]


def test_of_a_line_too_long_both_ends_are_kept_and_the_next_is_whole() -> None:
    longest = 4 * ENDS
    long = b"start" + b"x" * 10_000 + b"end"
    found = cut([long[:3000], long[3000:], b"\nnext\n", b"y" * longest + b"\n"], longest)
    assert [whole for _, whole in found] == [False, True, True]
    assert found[0][0].startswith(b"start")
    assert found[0][0].endswith(b"end")
    assert len(found[0][0]) <= longest + ENDS
    assert found[1:] == [(b"next", True), (b"y" * longest, True)]


async def test_a_wire_hands_over_messages_and_ends_when_they_are_answered() -> None:
    (from_client, client_in), (client_out, to_client) = os.pipe(), os.pipe()
    ended: list[bool] = []
    try:
        async with Wire(Streams(from_client, to_client, os.getppid()), lambda: ended.append(True)) as wire:
            os.write(client_in, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\nnonsense\n')
            os.close(client_in)
            messages = aiter(wire)
            assert json.loads(await anext(messages))["id"] == 1
            await wire.ended.wait()
            assert ended == [True]
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wire.write, '{"jsonrpc":"2.0","id":1,"result":{}}\n')
                with anyio.fail_after(GRACE_S / 2), pytest.raises(StopAsyncIteration):
                    await anext(messages)
            await wire.flush()
            assert os.read(client_out, 10_000).count(b"\n") == 2
    finally:
        for descriptor in (from_client, client_out, to_client):
            os.close(descriptor)


async def test_a_line_that_comes_after_the_end_is_dropped() -> None:
    (from_client, client_in), (client_out, to_client) = os.pipe(), os.pipe()
    try:
        async with Wire(Streams(from_client, to_client, os.getppid())) as wire:
            wire.end()
            await wire.ended.wait()
            os.write(client_in, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            os.close(client_in)
            assert [line async for line in wire] == []
    finally:
        for descriptor in (from_client, client_out, to_client):
            os.close(descriptor)


def test_a_conversation_may_come_from_a_file_and_the_replies_go_into_one(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "file", "version": "1"}}
    asked = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        *(call(id_, "echo", text="x" * 10_000) for id_ in range(2, 50)),
    ]
    said, replies = tmp_path / "said", tmp_path / "replies"
    said.write_bytes(b"\n".join(asked))
    with said.open("rb") as stdin, replies.open("wb") as stdout:
        done = subprocess.run(SERVER, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0
    assert sorted(json.loads(line)["id"] for line in replies.read_bytes().splitlines()) == list(range(1, 50))


def test_lines_read_ahead_are_few_and_the_rest_is_read_once_they_are_taken() -> None:
    async def run() -> None:
        (from_client, client_in), (client_out, to_client) = os.pipe(), os.pipe()
        sent = [b'{"jsonrpc":"2.0","method":"notifications/n%d"}' % number for number in range(1000)]
        try:
            async with Wire(Streams(from_client, to_client, os.getppid())) as wire:
                for line in sent[:500]:
                    os.write(client_in, line + b"\n")
                messages = aiter(wire)
                got = [(await anext(messages)).encode()]
                await anyio.wait_all_tasks_blocked()
                for line in sent[500:]:  # nobody listens: they stay in the pipe
                    os.write(client_in, line + b"\n")
                os.close(client_in)
                got += [line.encode() async for line in messages]
                assert got == sent
        finally:
            for descriptor in (from_client, client_out, to_client):
                os.close(descriptor)

    anyio.run(run)


@posix
def test_a_pipe_that_is_full_or_that_nobody_reads_has_no_room() -> None:
    reader, writer = os.pipe()
    free = room_in_pipe(writer)
    assert free() >= select.PIPE_BUF
    os.write(writer, b"x" * free())  # which would never end if it blocked
    os.read(reader, 2**20)
    os.write(writer, b"x")
    assert free() == select.PIPE_BUF
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 512)
    assert free() == 0
    os.read(reader, 2**20)
    assert free() >= select.PIPE_BUF
    os.close(reader)
    assert free() == 0
    os.close(writer)


@posix
async def test_a_reply_that_finds_no_room_waits_and_lets_others_go_on() -> None:
    (from_client, client_in), (client_out, to_client) = os.pipe(), os.pipe()
    reply = '{"jsonrpc":"2.0","id":%d,"result":{}}\n'
    try:
        async with Wire(Streams(from_client, to_client, os.getppid())) as wire:
            os.set_blocking(to_client, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(to_client, b"x" * 4096)
            os.set_blocking(to_client, True)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wire.write, reply % 1)
                tasks.start_soon(wire.write, reply % 2)
                os.write(client_in, b'{"jsonrpc":"2.0","id":3,"method":"ping"}\n')
                assert json.loads(await anext(aiter(wire)))["id"] == 3
                rest = b""
                while rest.count(b"\n") < 2:
                    rest += await anyio.to_thread.run_sync(os.read, client_out, 2**16)
            assert sorted(json.loads(line)["id"] for line in rest.lstrip(b"x").splitlines()) == [1, 2]
    finally:
        for descriptor in (from_client, client_in, client_out, to_client):
            os.close(descriptor)
