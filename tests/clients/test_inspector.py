"""The official Inspector's command line: the tools are portable, and recall answers it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.firmmem_process import INSTALLED, ask


class Inspector:
    """The Inspector on one database file."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.environment = {"FIRMMEM_DB": str(folder / "memory.db")}

    def run(self, *options: str) -> tuple[Any, str]:
        """The result it printed, and what it said on stderr."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        done = subprocess.run(
            [self.program, "--cli", "--format", "json", "-e", *variables, *options, INSTALLED],
            cwd=self.folder,
            timeout=60,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["result"], done.stderr


@pytest.fixture
def inspect(inspector: Path, tmp_path: Path) -> Inspector:
    return Inspector(inspector, tmp_path)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_tools_are_listed_without_a_word_of_complaint(inspect: Inspector, era: str) -> None:
    listed, complaints = inspect.run("--protocol-era", era, "--strict", "--method", "tools/list")
    assert len(listed["tools"]) == 6
    assert 'tool "' not in complaints


async def test_recall_answers_with_what_another_process_wrote(inspect: Inspector) -> None:
    fact = {"fact": "The user's timezone is Asia/Shanghai"}
    await ask("firmmem_write_core_fact", fact, inspect.environment)
    recall = ("--method", "tools/call", "--tool-name", "firmmem_recall_memory")
    called, _ = inspect.run(*recall, "--tool-args-json", '{"query": "timezone"}')
    assert not called.get("isError")
    assert "Asia/Shanghai" in called["content"][0]["text"]
