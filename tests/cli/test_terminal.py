"""What every command has in common: help that is read whole, wrong values in plain words, JSON, and a clean stop."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from typer.main import get_command

from firmmem.__main__ import command_line
from firmmem.memory.rows.ranking_keys import DAY

DATA = (
    *(("list",), ("show", "1"), ("recall", "tea"), ("inbox",), ("namespaces",), ("runs",), ("forecast",)),
    *(("history", "1"), ("trust", "1"), ("explain", "1"), ("curve", "1"), ("anomalies",), ("conflicts",)),
    *(("goal", "list"), ("core", "list"), ("core", "proposals"), ("pin", "list"), ("model", "list")),
)


def test_help_says_each_command_whole_in_a_narrow_and_in_a_wide_terminal(firmmem: Firmmem) -> None:
    narrow = firmmem.does("--help", COLUMNS="60")
    wide = firmmem.does("--help", COLUMNS="160")
    assert "..." not in narrow.replace("[ARGS]...", "")
    assert max(map(len, narrow.splitlines())) <= 60
    said = "Change a memory's text, subject, tags, goal, tier or importance; what it said before is kept as history."
    assert said in wide
    assert said in " ".join(narrow.split())


def walked(command: object, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = getattr(command, "commands", None)
    return [each for name in inner for each in walked(inner[name], (*words, name))] if inner else [words]


def test_no_help_names_a_type_of_the_language(firmmem: Firmmem) -> None:
    for words in walked(get_command(command_line())):
        if len(words) < 2:
            help_text = firmmem.does(*words, "--help") if words[0] in ("list", "recall", "edit", "forecast") else ""
            assert not re.search(r"<[a-z]", help_text)
    assert "--limit NUMBER" in firmmem.does("list", "--help")


@pytest.mark.parametrize("words", DATA, ids=" ".join)
def test_what_prints_data_prints_it_as_json(firmmem: Firmmem, words: tuple[str, ...]) -> None:
    firmmem.does("add", "Tea is green", "--tier", "draft", "--tag", "tea")
    firmmem.does("vote", "positive", "1")
    value = json.loads(firmmem.does(*words, "--json"))
    assert isinstance(value, list | dict)
    assert "NaN" not in json.dumps(value)


def test_json_has_what_the_lines_have(firmmem: Firmmem) -> None:
    firmmem.does("add", "Tea is green", "--tier", "draft", "--goal", "tea")
    [draft] = json.loads(firmmem.does("forecast", "--days", "90", "--json"))
    assert (draft["id"], draft["summary"]) == (1, "Tea is green")
    assert draft["forgotten_at"].endswith("Z")
    [run] = json.loads(firmmem.does("runs", "--json"))
    assert (run["job"], run["by_person"]) == ("add", 1)
    [memory] = json.loads(firmmem.does("recall", "tea", "--json"))["memories"]
    assert (memory["id"], memory["tags"], memory["text"]) == (1, [], "Tea is green")
    assert memory["half_life"] * DAY > 0
    explained = json.loads(firmmem.does("explain", "1", "--json"))
    assert explained["memory"]["id"] == 1


def test_recall_takes_the_filters_of_the_tool(firmmem: Firmmem) -> None:
    firmmem.does("add", "Tea is green", "--tag", "hot", "--tier", "draft")
    firmmem.does("add", "Tea is black", "--tag", "cold")

    def found(*filters: str) -> list[int]:
        return sorted(each["id"] for each in json.loads(firmmem.does("recall", "tea", "--json", *filters))["memories"])

    assert found() == [1, 2]
    assert found("--tag", "hot") == [1]
    assert found("--tier", "validated") == [2]
    assert found("--until", "yesterday") == []
    assert found("--since", "yesterday") == [1, 2]
    missing = json.loads(firmmem.does("recall", "--json", FIRMMEM_DB=str(firmmem.folder / "none.db")))
    assert "does not exist" in missing["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("forecast", "--days", "soon"), "firmmem: --days: give a number.\n"),
        (("recall", "--limit", "few", "tea"), "firmmem: --limit: give a whole number.\n"),
        (("recall", "--limit", "0", "tea"), "firmmem: --limit: give 1 or more.\n"),
        (("list", "--limit", "5000"), "firmmem: --limit: give 1000 or less.\n"),
    ],
)
def test_a_wrong_value_is_answered_by_what_to_give(firmmem: Firmmem, arguments: tuple[str, ...], sentence: str) -> None:
    ran = firmmem(*arguments)
    assert (ran.code, ran.err) == (2, sentence)


def test_a_file_of_the_other_kind_is_answered_by_the_command_that_takes_it(firmmem: Firmmem) -> None:
    firmmem.does("add", "Tea is green")
    firmmem.does("backup", "bk.db")
    firmmem.does("export", "exp.jsonl")
    ran = firmmem("backup", "restore", "exp.jsonl", "--yes")
    assert ran.err == (
        "firmmem: exp.jsonl is an export: `firmmem import exp.jsonl` takes it in; nothing was changed.\n"
    )
    ran = firmmem("import", "bk.db")
    assert ran.err.startswith("firmmem: bk.db is a SQLite file: `firmmem backup restore bk.db` takes a backup")


def test_config_says_where_the_namespace_of_a_host_differs_from_that_of_commands(firmmem: Firmmem) -> None:
    said = firmmem("config", "hermes").err
    assert "gives hermes the namespace 'hermes_default', and commands use 'default'" in said
    assert "--namespace hermes_default" in said
    assert "and commands use" not in firmmem("config", "cursor").err
    assert "and commands use" not in firmmem("config", "hermes", DEFAULT_NAMESPACE="hermes_default").err


def heed_control_c() -> None:
    """Let a child heed Ctrl-C also where what started these tests ignores it, as a shell's background does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of its own")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("archive", "1", "2"), "stopped: nothing was changed."),
        (("erase", "1"), "stopped: nothing was changed."),
    ],
)
def test_control_c_at_a_question_says_what_became_of_it(
    firmmem: Firmmem, words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    import pty

    for text in ("Tea is green", "Coffee is black"):
        firmmem.does("add", text)
    controller, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "firmmem", *words],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=firmmem.environment(),
        cwd=tmp_path,
        preexec_fn=heed_control_c,
    )
    assert child.stdout
    shown = b""
    while b"?" not in shown:
        said_now = os.read(child.stdout.fileno(), 1000)
        assert said_now, shown
        shown += said_now
    for _ in range(60):  # it may not ask yet
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=1)
        if child.poll() is not None:
            break
    _, err = child.communicate(timeout=60)
    os.close(controller)
    os.close(terminal)
    assert said in err.decode()
    assert len(firmmem.does("list").splitlines()) == 2
