"""What the plugin in Hermes does with FirmMem's process: shares it, starts it again, and never waits for long."""

import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.checkout import CHECKOUT

COMMAND = (sys.executable, "-m", "firmmem", "provider")
WRITE = {"name": "firmmem_write_event_memory", "arguments": {"summary": "Nora takes green tea", "verified": True}}
PROMPT = {"kind": "prompt", "session": "s", "prompt": "What does Nora take?", "writes": True}

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
Start = Callable[..., Any]


@pytest.fixture
def module() -> ModuleType:
    """Return the plugin's module, loaded from its file as Hermes does."""
    spec = importlib.util.spec_from_file_location("child", CHECKOUT / "plugins" / "hermes" / "child.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def start(module: ModuleType, tmp_path: Path) -> Iterator[Start]:
    started = []

    def start(*command: str) -> Any:
        env = {"FIRMMEM_DB": str(tmp_path / "memory.db")}
        started.append(module.child_for(command or COMMAND, env, tmp_path / "firmmem.log"))
        return started[-1]

    yield start
    for child in started:
        if child._running is not None:
            child._running.end()


def test_agents_share_one_process(start: Start) -> None:
    first, second = start(), start()
    first.start()
    assert first is second
    assert first.ask("tool", WRITE, 30)["text"] == "stored #1 validated"
    assert "green tea" in second.ask("event", PROMPT, 30)["text"]


@posix
def test_a_process_that_died_is_started_again_and_a_write_is_not_lost(start: Start) -> None:
    child = start()
    child.ask("ping", {}, 30)
    died = child._running._process.pid
    os.kill(died, signal.SIGKILL)
    assert child.ask("tool", WRITE, 30)["text"].startswith("stored #1")
    assert child._running._process.pid != died


@posix
def test_a_question_that_dies_with_its_process_is_asked_again(start: Start) -> None:
    child = start()
    child.ask("ping", {}, 30)
    process = child._running._process
    os.kill(process.pid, signal.SIGSTOP)
    answer = child._send("tool", WRITE, time.monotonic() + 30)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(EOFError):
        answer.receive(time.monotonic() + 30)
    assert child.ask("tool", WRITE, 30)["text"].startswith("stored #1")


@posix
def test_a_process_that_is_stuck_is_given_up_in_time_and_replaced(start: Start, module: ModuleType) -> None:
    child = start()
    child.ask("ping", {}, 30)
    stuck = child._running._process.pid
    os.kill(stuck, signal.SIGSTOP)
    with pytest.raises(module.UnansweredError, match="too long"):
        child.ask("event", PROMPT, 0.2)
    assert child.ask("ping", {}, 30) == {}
    assert child._running._process.pid != stuck


def test_a_program_that_ends_at_once_is_not_started_over_and_over(start: Start, module: ModuleType) -> None:
    child = start(sys.executable, "-c", "import sys; sys.exit('broken')")
    with pytest.raises(module.UnansweredError):
        child.ask("ping", {}, 30)
    with pytest.raises(module.UnansweredError, match="ends at once"):
        child.ask("ping", {}, 30)


def test_a_program_that_is_not_there_is_said(start: Start, module: ModuleType) -> None:
    child = start("/nowhere/firmmem", "provider")
    child.start()
    with pytest.raises(module.UnansweredError, match="can't be started"):
        child.ask("ping", {}, 5)


def test_what_is_about_hermes_own_python_does_not_reach_firmmem(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "firmmem.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    assert start().ask("ping", {}, 30) == {}


def test_an_error_is_the_reason(start: Start, module: ModuleType) -> None:
    with pytest.raises(module.UnansweredError, match="dance"):
        start().ask("dance", {}, 30)
