"""Claude Code, the real program, against a scripted model: memories reach the model by themselves, and tools work."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.checkout import CHECKOUT
from support.firmmem_process import INSTALLED
from support.stub_anthropic import ScriptedAnthropic, scripted_anthropic
from support.stub_llm import ToolCall

PLUGIN = CHECKOUT / "plugins" / "claude-code"
TOOLS = {
    "firmmem_archive_memory",
    "firmmem_memory_feedback",
    "firmmem_recall_memory",
    "firmmem_write_core_fact",
    "firmmem_write_event_memory",
    "firmmem_write_strategic_memory",
}
SUMMARY = "The staging server of the teahouse project listens on port 8443"
FACT = "The user's name is Wei"
WRITES: list[ToolCall] = [
    ("firmmem_write_event_memory", {"summary": SUMMARY, "verified": True}),
    ("firmmem_write_core_fact", {"fact": FACT, "subject": "user.name"}),
    ("firmmem_recall_memory", {"query": "staging server port"}),
]
QUESTION = "Which port does the staging server of the teahouse project listen on?"


@dataclass(frozen=True)
class ClaudeCode:
    """Claude Code with a home of its own, and no network but a scripted model."""

    program: Path
    home: Path

    def environment(self, model: ScriptedAnthropic | None = None) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([str(INSTALLED.parent), os.environ["PATH"]]),
            "HOME": str(self.home),
            "FIRMMEM_DB": str(self.home / "memory.db"),
            "FIRMMEM_HOOK_SECONDS": "20",  # a busy machine is no reason to give nothing here
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url if model else "http://127.0.0.1:9",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def runs(self, *arguments: str, model: ScriptedAnthropic | None = None, seconds: float = 120) -> str:
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environment(model),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def asks(self, model: ScriptedAnthropic, prompt: str, *arguments: str) -> str:
        """Runs one session and returns its answer."""
        allowed = ("--allowedTools", "mcp__firmmem", "mcp__plugin_firmmem_firmmem")
        return self.runs("-p", prompt, "--model", "claude-sonnet-4-5", *arguments, *allowed, model=model)


@pytest.fixture
def claude(claude_program: Path, tmp_path: Path) -> ClaudeCode:
    return ClaudeCode(claude_program, tmp_path)


@pytest.fixture(params=["connected", "plugin"])
def host(request: pytest.FixtureRequest, claude: ClaudeCode) -> Iterator[tuple[ClaudeCode, tuple[str, ...]]]:
    """Yield Claude Code with FirmMem, as `firmmem connect` makes it or by the plugin, and the arguments for that."""
    if request.param == "plugin":
        yield claude, ("--plugin-dir", str(PLUGIN))
        return
    command = [INSTALLED.with_name("firmmem"), "connect", "claude-code", "--yes"]
    env = claude.environment() | {"XDG_CONFIG_HOME": str(claude.home)}
    subprocess.run(command, env=env, check=True, timeout=60, stdin=subprocess.DEVNULL, capture_output=True)
    yield claude, ()


@pytest.mark.parametrize("path", [PLUGIN, CHECKOUT])
def test_claude_code_finds_nothing_wrong_with_the_plugin_and_the_marketplace(claude: ClaudeCode, path: Path) -> None:
    assert "Validation passed" in claude.runs("plugin", "validate", "--strict", str(path))


def test_a_second_session_has_what_the_first_one_wrote_without_a_tool_call(
    host: tuple[ClaudeCode, tuple[str, ...]],
) -> None:
    claude, more = host
    with scripted_anthropic(WRITES) as model:
        answer = claude.asks(model, "Remember where staging listens.", *more)
    assert answer.strip() == "Done after 3 tool results."
    assert {name.rpartition("__")[2] for name in model.offered_tools} >= TOOLS, "hidden behind a search"
    assert [result.split()[0] for result in model.tool_results[:2]] == ["stored", "stored"]
    assert SUMMARY in model.tool_results[2]
    with scripted_anthropic([]) as model:
        claude.asks(model, QUESTION, *more)
    heard = model.heard()
    assert SUMMARY in heard
    assert FACT in heard
    assert heard.count("<firmmem-memories") == heard.count("</firmmem-memories>") >= 1
    assert len(model.requests) == 1


def test_a_prompt_gets_what_bears_on_it_and_was_not_given_at_the_start(
    host: tuple[ClaudeCode, tuple[str, ...]],
) -> None:
    claude, more = host
    others = [f"The garden's bed number {number} has roses of the year {1900 + number}" for number in range(60)]
    remember(claude, [SUMMARY, *others])
    with scripted_anthropic([]) as model:
        claude.asks(model, QUESTION, *more)
    assert SUMMARY in model.heard()


def remember(claude: ClaudeCode, summaries: list[str]) -> None:
    """Writes memories by FirmMem's own process."""
    asked = [
        {"name": "firmmem_write_event_memory", "arguments": {"summary": text, "verified": True}, "session": "earlier"}
        for text in summaries
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tool", "params": each}) for id_, each in enumerate(asked)
    ]
    command = [INSTALLED.with_name("firmmem"), "provider"]
    subprocess.run(
        command,
        input="\n".join(lines),
        text=True,
        env=claude.environment(),
        check=True,
        timeout=60,
        capture_output=True,
    )


def test_recall_is_allowed_while_claude_code_plans_and_a_write_is_not(claude: ClaudeCode) -> None:
    script: list[ToolCall] = [("firmmem_recall_memory", {"query": "staging"}), WRITES[0]]
    with scripted_anthropic(script) as model:
        claude.asks(model, QUESTION, "--plugin-dir", str(PLUGIN), "--permission-mode", "plan")
    recalled, written = model.tool_results
    assert recalled.startswith("Nothing")
    assert not written.startswith("stored")
