"""What no client should send stores, reaches and ends nothing: sizes, broken text, malformed lines, SQL."""

import json
import random
import signal
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support.agent import serving
from support.real_server import posix, rows, server, write
from support.stdio_client import StdioClient
from support.stores import Clock, write_one

from firmmem.settings import Settings
from firmmem.store import database
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


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
