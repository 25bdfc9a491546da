"""The process behind a host's plugin: what it is asked by JSON lines, and what it answers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def provided(
    folder: Path, *asked: dict[str, Any] | str, env: dict[str, str] | None = None
) -> dict[int, dict[str, Any]]:
    """Return the answers of one process by the number of the question."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, **each}) if isinstance(each, dict) else each
        for number, each in enumerate(asked, start=1)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "firmmem", "provider"],
        input="\n".join(lines) + "\n",
        env={"FIRMMEM_DB": str(folder / "memory.db"), "HOME": str(folder), "PATH": "/nowhere"} | (env or {}),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["id"]: answer for answer in answers}


def tool(name: str, session: str = "s1", **arguments: object) -> dict[str, Any]:
    return {"method": "tool", "params": {"name": name, "arguments": arguments, "session": session}}


def event(kind: str, session: str = "s1", **more: object) -> dict[str, Any]:
    return {"method": "event", "params": {"kind": kind, "session": session, **more}}


def test_a_memory_of_one_session_is_put_before_the_next(tmp_path: Path) -> None:
    write = tool("firmmem_write_event_memory", summary="Nora takes green tea without sugar", verified=True)
    assert provided(tmp_path, write)[1]["result"] == {"text": "stored #1 validated", "error": False}
    said = provided(tmp_path, event("prompt", "s2", prompt="How does Nora take her tea?", writes=True))[1]["result"][
        "text"
    ]
    assert "Nora takes green tea without sugar" in said


def test_a_session_is_given_its_start_once_and_again_when_it_was_lost(tmp_path: Path) -> None:
    provided(tmp_path, tool("firmmem_write_core_fact", fact="The user's name is Wei"))
    asked = [event("prompt", prompt="ok, go on"), event("prompt", prompt="ok, go on"), event("lost")]
    answers = one_after_the_other(tmp_path, *asked, event("prompt", prompt="ok, go on"), event("end"))
    assert ["Wei" in answer["result"]["text"] for answer in answers] == [True, False, False, True, False]


def one_after_the_other(folder: Path, *asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of one process that is asked nothing before it has answered."""
    process = subprocess.Popen(
        [sys.executable, "-m", "firmmem", "provider"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"FIRMMEM_DB": str(folder / "memory.db"), "HOME": str(folder), "PATH": "/nowhere"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        answers = []
        for number, each in enumerate(asked):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, **each}).encode() + b"\n")
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
    return answers


def test_a_refused_text_and_a_wrong_call_are_answers_as_the_server_gives_them(tmp_path: Path) -> None:
    answers = provided(
        tmp_path,
        tool("firmmem_write_event_memory", summary="User: hi\nAssistant: hello\nUser: bye\nAssistant: bye"),
        tool("firmmem_write_event_memory"),
        tool("no_such_tool"),
    )
    assert answers[1]["result"]["text"].startswith("refused")
    assert answers[2]["result"]["error"] is True
    assert "Unknown tool" in answers[3]["result"]["text"]


def test_what_is_not_understood_is_an_error(tmp_path: Path) -> None:
    answers = provided(
        tmp_path, {"method": "dance"}, event("sneeze"), {"method": "ping"}, '{"jsonrpc":"2.0","method":"x"}'
    )
    assert "dance" in answers[1]["error"]["message"]
    assert "sneeze" in answers[2]["error"]["message"]
    assert answers[3]["result"] == {}
    assert len(answers) == 3


@pytest.mark.parametrize(("variable", "value"), [("DRAFT_BASE_HALF_LIFE", "none"), ("FIRMMEM_DB", "/dev/null/x")])
def test_wrong_settings_and_an_unusable_file_are_said(variable: str, value: str, tmp_path: Path) -> None:
    asked = (tool("firmmem_recall_memory"), event("prompt", prompt="How does Nora take her tea?"))
    answers = provided(tmp_path, *asked, env={variable: value})
    assert answers[1]["result"]["text"].startswith("unavailable")
    assert answers[2]["error"]["message"]
