"""The statements: each compiles on every library, walks no more than it must, and is written as the others are."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.checkout import TESTS
from support.stores import START, YOUNG, planted

from firmmem.contract import TIERS, Question
from firmmem.memory.recall import by_score
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch, sql, statement_files, transaction

NAMES = sorted(statement_files())
TEXTS = {name: statement_files()[name].read_text(encoding="utf-8") for name in NAMES}
CANDIDATES = [name for name in NAMES if name.startswith("candidate_by_")]
PARTS = {part for text in TEXTS.values() for part in re.findall(r"/\* include (\w+) \*/", text)} | {
    *CANDIDATES,
    "recall",
}
STATEMENTS = [(name, "") for name in NAMES if name not in PARTS]
WALKS = {
    "same_memories",
    "count_unembedded",
    "last_write_by_client",
}
EXACT = "memory/recall/test_streams.py::test_streams_rank_as_looking_at_every_memory_does"
SAME = ("store/test_sql.py", "memory/write/test_core_protection.py", f"{EXACT}[0]")  # run with both libraries
RANKINGS = [("recall", candidate) for candidate in CANDIDATES]


def plan(connection: Connection, name: str, candidate: str = "") -> list[str]:
    """Return the steps of a statement's plan."""
    statement = sql(name, candidate)
    given = dict.fromkeys(parameters(statement), 1)
    return [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)]


def parameters(statement: str) -> set[str]:
    """Return the names of what a statement is given."""
    return set(re.findall(r"(?<![\w:]):([a-z_0-9]+)", bare(statement)))


def bare(statement: str) -> str:
    """Return a statement without its comments and strings."""
    return re.sub(r"--[^\n]*|/\*.*?\*/|'[^']*'", "", statement, flags=re.DOTALL)


@pytest.fixture
def grown(connection: Connection, settings: Settings) -> Connection:
    """A store with some of everything, analysed: statistics change plans."""
    with transaction(connection):
        for number in range(400):
            planted(
                connection,
                replace(YOUNG, tier=TIERS[number % 4], reviewed_at=START - number * DAY),
                namespace=f"space {number % 3}",
                state=("active", "archived")[number % 2],
                goal="ship it" if number % 5 == 0 and number % 4 else "",
                tags=(f"tag {number % 7}",),
            )
    connection.execute("ANALYZE")
    return connection


# How they are written


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_begins_with_a_sentence_and_takes_named_parameters_only(name: str) -> None:
    text = TEXTS[name]
    comment = " ".join(line.removeprefix("--").strip() for line in text.splitlines() if line.lstrip().startswith("--"))
    assert re.match(r"-- [A-Z].*", text)
    assert re.search(r"[.:]( |$)", comment)
    assert text.endswith("\n")
    assert "?" not in bare(text)
    assert ";" not in bare(text)  # one statement a file
    assert not re.search(r"[$@][a-z]", bare(text))
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_is_asked_for_by_its_name_somewhere(name: str) -> None:
    package = Path(str(files("firmmem")))
    assert any(f'"{name}"' in path.read_text(encoding="utf-8") for path in package.rglob("*.py")) or any(
        f"/* include {name} */" in text for text in TEXTS.values()
    )


@pytest.mark.parametrize(("name", "candidate"), STATEMENTS + RANKINGS)
def test_a_statement_compiles(connection: Connection, name: str, candidate: str) -> None:
    assert plan(connection, name, candidate) is not None


@pytest.mark.skipif(sys.modules.get("pysqlite3") is None, reason="there is only Python's own library")
def test_the_same_holds_with_pythons_own_library() -> None:
    without = "import sys; sys.modules['pysqlite3'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", without, "-q", "-p", "no:cacheprovider", *(f"{TESTS}/{name}" for name in SAME)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=TESTS.parent,
    )
    assert done.returncode == 0, done.stdout


# What they walk


@pytest.mark.parametrize(("name", "candidate"), RANKINGS)
@pytest.mark.parametrize("state", ["connection", "grown"])
def test_ranking_never_walks_all_memories(
    request: pytest.FixtureRequest, state: str, name: str, candidate: str
) -> None:
    steps = plan(request.getfixturevalue(state), name, candidate)
    # What lies beside a match is looked up among the few that are read.
    few = ("SEARCH beside USING AUTOMATIC", "SEARCH supported USING AUTOMATIC", "SEARCH matched USING AUTOMATIC")
    steps = [step for step in steps if not step.startswith(few)]
    assert not [step for step in steps if "BLOOM FILTER ON memory" in step or "AUTOMATIC" in step]
    assert not [step for step in steps if re.match(r"SCAN (memory|best|equal|lower|memory_tag)\b", step)]


@pytest.mark.parametrize("state", ["connection", "grown"])
@pytest.mark.parametrize(("name", "candidate"), STATEMENTS)
def test_no_other_statement_walks_all_memories_either(
    request: pytest.FixtureRequest, state: str, name: str, candidate: str
) -> None:
    steps = plan(request.getfixturevalue(state), name, candidate)
    assert not [step for step in steps if "BLOOM FILTER ON memory" in step]
    assert name in WALKS or not [step for step in steps if re.match(r"SCAN (memory|vote|exposure)\b", step)]


@pytest.mark.parametrize("index", ["memory_by_stream", "memory_by_goal_stream"])
def test_the_order_of_a_stream_is_read_from_its_index(grown: Connection, index: str) -> None:
    candidate = "candidate_by_goal" if "goal" in index else "candidate_by_stream"
    steps = plan(grown, "recall", candidate)
    for alias in ("best", "equal", "lower"):
        [used] = {step for step in steps if re.match(rf"SEARCH {alias} USING (COVERING )?INDEX {index} ", step)}
        assert "stream=?" in used


# How much they work


def steps_of(connection: Connection, work: Callable[[], Any]) -> int:
    """Return how many hundreds of steps SQLite's machine takes for some work."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 100)
    work()
    connection.set_progress_handler(None, 100)
    return taken


def grow(connection: Connection, count: int, **place: Any) -> None:
    """Copy one planted memory `count` times, at other moments, by SQL alone: tens of thousands in a second."""
    first = planted(connection, YOUNG, **place)
    connection.execute(
        """
        INSERT INTO memory (
            shelf, tier, goal, summary, tags, identity, importance, initial_trust, trust, created_at, reviewed_at,
            state_at, half_life, stream, rank_key, search_id, words, length
        )
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < :count)
        SELECT
            shelf, tier, goal, summary || n, tags, randomblob(16), importance, initial_trust, trust,
            created_at - n * 60, reviewed_at - n * 60, state_at, half_life, stream, rank_key - n * 60 / 86400.0 / 7.0,
            shelf << 40 | (id + n), 'w' || (n % 50), 1
        FROM memory, number WHERE id = :first
        """,
        {"count": count, "first": first},
    )


QUESTIONS = {
    "what matters now": Question("default", limit=20),
    "a goal": Question("default", goal_id="ship it", limit=20),
    "a common tag": Question("default", tags=("common",), limit=20),
    "a rare tag": Question("default", tags=("rare",), limit=20),
    "the last days": Question("default", since=START - DAY, limit=20),
    "long ago": Question("default", until=START - 360 * DAY, limit=20),
    "a word": Question("default", query="lighthouse", limit=20),
}


def test_the_work_of_a_recall_does_not_grow_with_the_store(
    connection: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_score, "FILTERED", 200)  # as many as are counted, and walked by a filter's own index
    monkeypatch.setattr(by_score, "POPS", 200)

    def work() -> dict[str, int]:
        return {
            asked: steps_of(connection, partial(find, connection, question, settings, now=START + DAY))
            for asked, question in QUESTIONS.items()
        }

    with transaction(connection):
        grow(connection, 500, tags=("common",))
        grow(connection, 500, goal="ship it")
        for number in range(50):
            old = replace(YOUNG, reviewed_at=START - 400 * DAY)
            planted(connection, old, f"The lighthouse {number}", tags=("rare",))
    small = work()
    with transaction(connection):
        grow(connection, 10_000, tags=("common",))
        grow(connection, 9_000, goal="ship it")
    large = work()
    assert {asked: steps for asked, steps in large.items() if steps > 1.5 * small[asked] + 20} == {}
    with transaction(connection):
        grow(connection, 60_000, state="archived")
        grow(connection, 20_000, namespace="elsewhere", tags=("common",))
    connection.execute("ANALYZE")
    crowded = work()
    assert {asked: steps for asked, steps in crowded.items() if steps > 1.2 * large[asked] + 20} == {}


def test_counting_stops_just_over_its_limit(connection: Connection) -> None:
    with transaction(connection):
        grow(connection, 5_000, tags=("common",))
    places = {"shelves": "[1]", "most": 100}
    assert fetch(connection, "count_by_tag", **places, tags='["common"]')[0]["count"] == 101
    assert fetch(connection, "count_by_date", **places, since=0.0, until=1e12)[0]["count"] == 101
    assert steps_of(connection, partial(fetch, connection, "count_by_tag", **places, tags='["common"]')) < 40


def test_no_statement_is_prepared_anew_at_each_call() -> None:
    """SQLite reads the value of a bare parameter in LIMIT when it plans a statement, and so plans it at each call."""
    offpath = {"anomaly_rows", "export_ids", "runs", "subject_conflicts"}
    offpath |= {"scan", "run_moves", "noted_conflicts", "newest_memories", "quarantined"}
    for name, text in TEXTS.items():
        assert name in offpath or not re.search(r"LIMIT :\w+\s*$", text, re.MULTILINE), name
