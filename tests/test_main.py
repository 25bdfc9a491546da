"""`firmmem-mcp` by hand: what it is and how a client is connected, in place of a server that waits for one."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint

import pytest
from support.checkout import CHECKOUT

from firmmem import __version__
from firmmem.__main__ import server

ENTRY = [sys.executable, "-c", "from firmmem.__main__ import server; server()"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


def ran(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENTRY, *arguments], input=said, capture_output=True, text=True, timeout=60, check=False)


def test_the_program_is_the_one_that_is_tested_here() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    entry = EntryPoint("firmmem-mcp", project["project"]["scripts"]["firmmem-mcp"], "console_scripts")
    assert entry.load() is server


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_says_what_it_is_and_how_to_connect_a_client(asked: str) -> None:
    done = ran(asked)
    assert (done.returncode, done.stderr) == (0, "")
    for words in ("firmmem-mcp", "Model Context Protocol", "`firmmem config` prints what to paste", "--version"):
        assert words in done.stdout


def test_the_version_is_said() -> None:
    done = ran("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"firmmem {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--port", "80"], ["serve"], ["--help-me"], ["--", "x"]])
def test_an_argument_that_it_has_not_is_named_and_nothing_is_served(arguments: list[str]) -> None:
    done = ran(*arguments, said=json.dumps(INITIALIZE) + "\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"firmmem-mcp: error: it serves without commands and knows no '{' '.join(arguments)}'" in done.stderr


@pytest.mark.parametrize("arguments", [[], [""], [" ", ""]])
def test_without_arguments_it_serves(arguments: list[str]) -> None:
    done = ran(*arguments, said=json.dumps(INITIALIZE) + "\n")
    assert done.returncode == 0
    [line] = done.stdout.splitlines()
    assert json.loads(line)["result"]["serverInfo"]["name"] == "firmmem"


def test_what_a_start_imports_is_never_looked_through_for_garbage_and_what_comes_later_is() -> None:
    script = """
import gc
from firmmem.__main__ import pause_garbage_collection
before = [generation["collections"] for generation in gc.get_stats()]
with pause_garbage_collection():
    import firmmem.edge.server
assert [generation["collections"] for generation in gc.get_stats()] == before
assert gc.get_freeze_count() > 50_000, gc.get_freeze_count()
assert gc.isenabled()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
