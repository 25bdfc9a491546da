"""The built wheel, installed where nothing else is: what a person gets, not what the checkout holds."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from support.firmmem_process import ask

from firmmem import __version__


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    subprocess.run([*pip, "install", "--quiet", wheel], check=True, timeout=300)
    return folder / "bin"


def test_the_wheel_holds_the_package_and_its_migrations_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"firmmem/py.typed", "firmmem/edge/tool_schemas.json"} <= set(names)
    assert any(name.startswith("firmmem/migrations/0001_") for name in names)
    assert any(name.startswith("firmmem/sql/recall/") for name in names)
    assert not [name for name in names if "test" in name]


def test_connect_finds_the_plugins_of_the_wheel(environment: Path, wheel: Path, tmp_path: Path) -> None:
    command = [environment / "firmmem", "connect", "hermes", "opencode", "claude-code", "--yes"]
    env = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, timeout=120)
    plugin = tmp_path / ".hermes" / "plugins" / "firmmem"
    assert sorted(file.name for file in plugin.iterdir()) == ["__init__.py", "child.py", "plugin.yaml", "tools.json"]
    assert str(environment / "firmmem") in (tmp_path / ".config/opencode/plugin/firmmem.js").read_text("utf-8")
    entry_points = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(wheel).read(entry_points).decode()
    assert "[hermes_agent.memory_providers]\nfirmmem = firmmem_hermes" in text
    assert "firmmem_hermes/__init__.py" in zipfile.ZipFile(wheel).namelist()


def test_the_installed_programs_say_their_version(environment: Path) -> None:
    for program in ("firmmem", "firmmem-mcp"):
        assert subprocess.check_output([environment / program, "--version"], text=True) == f"firmmem {__version__}\n"


async def test_a_memory_written_by_the_installed_server_is_recalled_by_the_next(
    environment: Path, tmp_path: Path
) -> None:
    variables = {"FIRMMEM_DB": str(tmp_path / "memory.db"), "HOME": str(tmp_path)}
    server = environment / "firmmem-mcp"
    await ask("firmmem_write_event_memory", {"summary": "The wheel was installed"}, variables, server)
    assert "The wheel was installed" in await ask("firmmem_recall_memory", {"query": "wheel"}, variables, server)
