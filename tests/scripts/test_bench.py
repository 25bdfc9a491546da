"""The bench: its stores, its figures, and small runs against real servers. No times are asserted."""

import json
import math
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter
from support.checkout import SCRIPTS

from firmmem.contract import Question
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import Life, compute_keys, stored_keying
from firmmem.store.opening import open_connection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benching.peers.peer import Peer
    from support.stdio_client import StdioClient

SIZE = 200


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


@pytest.fixture
def store_file(tmp_path: Path) -> Path:
    from benching import store

    return store.filled(tmp_path, SIZE)


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, SCRIPTS / "bench.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)


def row(output: str, first: str) -> "Sequence[str]":
    [line, *_] = [line for line in output.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_starts_of_both_servers_are_compared() -> None:
    done = run("startup", "--runs", "1")
    assert done.returncode == 0, done.stderr
    assert len(row(done.stdout, "CPU until `initialize`, ms")) == 5
    assert row(done.stdout, "RSS idle, MB")[4].endswith("×")
    assert "Measured on" in done.stdout


def test_every_case_is_timed_beside_the_echo_and_kept(tmp_path: Path) -> None:
    arguments = ("recall", "--size", str(SIZE), "--rounds", "2", "--folder", tmp_path)
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert row(done.stdout, "echo of a bare SDK server")[1].endswith("(1.0×)")
    for case in ("recall without a query, limit 20", "recall, 100 kB of text", "write", "feedback"):
        assert "×)" in row(done.stdout, case)[1]
    assert not list(tmp_path.glob("*-measured.*")), "the measured copy is left behind"

    [kept] = tmp_path.glob("measured-*.json")
    record = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps(record | {"file_mb": 12345.0}), encoding="utf-8")
    assert row(run(*arguments).stdout, "file, MB")[1] == "12345", "a finished size was measured again"


def test_the_stages_of_a_call_add_up_to_its_time(tmp_path: Path) -> None:
    done = run("profile", "--size", str(SIZE), "--rounds", "3", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    tables = done.stdout.split("\n| --- |")[1:]
    assert len(tables) == 3
    for each, statement in zip(tables, ("candidate_by_ids", "candidate_by_words", "memory_insert"), strict=True):
        figures = [line.split("|")[2].strip() for line in each.splitlines() if line.startswith("| ")]
        took = [float(figure.replace(",", "")) for figure in figures if figure != "µs"]
        *stages, whole = took
        assert math.isclose(sum(stages), whole, abs_tol=len(took)), "rounded to whole microseconds"
        assert row(each, statement)[2].endswith("×")
        assert row(each, "to the file's thread")
    assert row(tables[2], "COMMIT")
    assert not list(tmp_path.glob("*-measured.*")), "the measured copy is left behind"


def test_a_store_that_was_begun_is_completed_to_the_same_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benching import store

    monkeypatch.setattr(store, "CHUNK", 64)
    file = store.filled(tmp_path, SIZE)
    connection = open_connection(store.settings_of(file))
    summaries = [row["summary"] for row in connection.execute("SELECT summary FROM memory ORDER BY id")]
    connection.close()
    assert len(summaries) == SIZE
    assert summaries == [store.made(number, SIZE).new.summary for number in range(SIZE)]
    assert store.filled(tmp_path, SIZE) == file


def test_a_filled_store_ranks_by_keys_that_are_right(store_file: Path) -> None:
    from benching import store

    connection = open_connection(store.settings_of(store_file), writes=False)
    keying, complete = stored_keying(connection)
    rows = connection.execute("SELECT * FROM memory").fetchall()
    states = dict(connection.execute("SELECT state, sum(core + strategic + validated + draft) FROM shelf GROUP BY 1"))
    assert complete
    assert sum(states.values()) == SIZE
    assert 0 < states["archived"] < SIZE / 5
    for each in rows:
        expected = compute_keys(Life.of(each), keying)
        assert each["stream"] == expected["stream"]
        assert math.isclose(each["rank_key"], expected["rank_key"], abs_tol=1e-9)
    connection.close()


def test_what_a_filled_store_holds_is_found_by_its_words(store_file: Path) -> None:
    from benching import store

    settings = store.settings_of(store_file)
    made = next(each for each in (store.made(n, SIZE) for n in range(50, SIZE)) if each.new.namespace == "default")
    connection = open_connection(settings, writes=False)
    question = Question("default", query=made.new.summary, include_archived=True)
    best = max(find(connection, question, settings, now=time.time()).memories, key=lambda memory: memory.score)
    connection.close()
    assert best.summary == made.new.summary


def test_a_query_with_the_model_is_timed_beside_one_without(tmp_path: Path) -> None:
    for module in ("numpy", "onnxruntime", "tokenizers"):
        pytest.importorskip(module, reason="the extra `semantic` is not installed")
    done = run("model", "--size", str(SIZE), "--rounds", "1", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    assert row(done.stdout, "a query with the model")[3] == "≤ 25"
    assert row(done.stdout, "of which its embedding")[3] == "≤ 12"
    assert f"the model loaded and {SIZE} vectors held takes" in done.stdout


def echoing(name: str, **more: object) -> "Peer":
    """Return a peer that is the bare server, and so needs no registry."""
    from benching.peers import ours

    return replace(ours.ECHO, name=name, **more)


def test_firmmem_is_compared_with_peers_on_the_same_questions(tmp_path: Path) -> None:
    from benching.peers import ours, tables, timing
    from benching.peers.questions import questions

    compared = timing.compare(tmp_path, SIZE, 1, 60, [])
    assert [each.name for each in compared.stands] == ["echo", "FirmMem"]
    [echo, firmmem] = compared.stands
    assert list(firmmem.asked) == list(echo.asked) == list(questions(SIZE))
    assert firmmem.asked["recall, a rare word"].returned > 0, "a word that is there was not found"
    assert firmmem.asked["recall without a query"].returned == ours.LIMIT
    assert firmmem.asked["write"].returned == 1
    assert not list(tmp_path.glob("tmp*")), "the measured copy is left behind"

    kept = TypeAdapter(timing.Compared)
    assert kept.validate_json(kept.dump_json(compared)) == compared
    whole = tables.whole([compared])
    for name in questions(SIZE):
        assert "(1.0×)" in row(whole, name)[2]
        assert row(tables.overview(compared, chinese=True), report_in_chinese(name))[2] == row(whole, name)[2]


def report_in_chinese(name: str) -> str:
    from benching import report

    return report.in_chinese([name])[0]


def test_a_peer_that_can_not_be_asked_is_named_with_the_reason(tmp_path: Path) -> None:
    from benching.peers import tables, timing
    from benching.peers.peer import Call

    def one_by_one(client: "StdioClient", _: Path, size: int) -> "Iterator[int]":
        for number in range(size):
            client.call("echo", text=str(number))
            yield number + 1

    def at_once(_client: "StdioClient", _file: Path, size: int) -> "Iterator[int]":
        yield size

    peers = [
        echoing("nowhere", package=str(tmp_path / "nothing-there")),
        echoing("slow", fill=one_by_one),
        echoing("broken", package="-", command=lambda *_: [sys.executable, "-c", "raise SystemExit('no luck')"]),
        echoing("refusing", package="-", fill=at_once, recent=lambda: Call("no_such_tool", {}, len)),
    ]
    for name in ("broken", "refusing"):
        (tmp_path / "environments" / name).mkdir(parents=True)
        (tmp_path / "environments" / name / "installed").write_text("-", encoding="utf-8")
    compared = timing.compare(tmp_path, SIZE, 1, 0, peers)
    assert [each.name for each in compared.stands] == ["echo", "FirmMem"]
    assert "does not install" in compared.left_out["nowhere"]
    assert "given up after 0 s and 1 memories" in compared.left_out["slow"]
    assert "no luck" in compared.left_out["broken"]
    assert "recall without a query: no_such_tool" in compared.left_out["refusing"]
    assert f"- Not at {SIZE}: slow: filling it was given up" in tables.whole([compared])


def test_every_job_of_upkeep_runs_while_a_client_writes(tmp_path: Path) -> None:
    from benching.job import NAMES

    arguments = ("upkeep", "--size", str(SIZE), "--alone", "0.1", "--folder", tmp_path)
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert all(row(done.stdout, name) for name in NAMES)
    assert "failed" not in done.stdout
    for name in ("forget", "undo", "purge"):
        assert int(row(done.stdout, name)[2]) > 0, f"{name} had nothing to do"
    assert row(done.stdout, "integrity")[1] == "ok"
    assert row(done.stdout, "rekey again")[5] == "none", "the write lock was taken for nothing"
    assert int(row(done.stdout, "purge")[7]) > 0, "the client wrote nothing meanwhile"

    [kept] = tmp_path.glob("upkeep-*")
    records = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps([each | {"waits": [123.0]} for each in records]), encoding="utf-8")
    assert "during a job is 123000 ms" in run(*arguments).stdout, "finished jobs were measured again"


def test_words_are_as_common_as_their_rank_says() -> None:
    from benching import words

    chance = random.Random(1)  # noqa: S311 - the same words every time
    drawn = [words.drawn(chance, words.word, words.VOCABULARY) for _ in range(20_000)]
    assert drawn.count(words.word(0)) > drawn.count(words.word(5)) > drawn.count(words.word(100)) > 0
    assert len({words.word(rank) for rank in range(words.VOCABULARY)}) > 0.99 * words.VOCABULARY


def test_a_share_of_times_is_read_in_milliseconds() -> None:
    from benching import recall

    assert recall.milliseconds([0.004, 0.001, 0.002, 0.003], 0.5) == pytest.approx(3.0)
    assert recall.milliseconds([0.001], 0.99) == pytest.approx(1.0)
