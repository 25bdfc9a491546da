"""What the client tests need from outside: `scripts/check` installs it and names it in the environment."""

import os
from pathlib import Path

import pytest


def installed_program(variable: str) -> Path:
    """The path `scripts/check` gave; without it the test is skipped, and on CI it fails."""
    if path := os.environ.get(variable):
        return Path(path)
    if os.environ.get("CI") == "true":
        pytest.fail(f"{variable} is not set: on CI scripts/check installs it")
    pytest.skip(f"{variable} is not set: scripts/check installs it and runs this")


@pytest.fixture(scope="session")
def hermes_python() -> Path:
    return installed_program("FIRMMEM_HERMES_PYTHON")


@pytest.fixture(scope="session")
def inspector() -> Path:
    return installed_program("FIRMMEM_INSPECTOR")


@pytest.fixture(scope="session")
def claude_program() -> Path:
    return installed_program("FIRMMEM_CLAUDE")


@pytest.fixture(scope="session")
def wheel() -> Path:
    return installed_program("FIRMMEM_WHEEL")
