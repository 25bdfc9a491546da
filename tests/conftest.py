"""A real file in a folder of its own, a clock turned by hand, and memories written quickly."""

import os
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings as hypothesis_settings
from support.stores import Clock

from firmmem.settings import Settings, variable_name
from firmmem.store.database import Database, open_database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection

os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

if TYPE_CHECKING:
    from support.agent import Agent
    from support.stdio_client import StdioClient

hypothesis_settings.register_profile("any machine", deadline=None)  # a busy one takes longer, and nothing is wrong
hypothesis_settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {variable_name(field) for field in Settings.model_fields} | {
        name for name in os.environ if name.startswith("FIRMMEM_")
    }:
        if not name.endswith(("_HERMES_PYTHON", "_INSPECTOR", "_WHEEL")):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FIRMMEM_ENV_FILE", os.devnull)
    monkeypatch.setenv("TZ", "UTC")  # of the processes that tests start; this one's is below


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until a test turns it."""
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Default settings, but for a file of the test's own."""
    return Settings(db=tmp_path / "firmmem.db")


@pytest.fixture
async def database(settings: Settings) -> AsyncGenerator[Database]:
    """The file, open as a server opens it."""
    async with open_database(settings) as opened:
        yield opened


@pytest.fixture
def connection(settings: Settings) -> Iterator[Connection]:
    """One connection to the file, open as an agent's."""
    opened = open_connection(settings)
    yield opened
    opened.close()


@pytest.fixture
def agent(database: Database, clock: Clock) -> "Agent":
    """An agent that calls the verbs on the file."""
    from support.agent import Agent  # it imports the server, which most tests do without

    return Agent(database, clock)


@pytest.fixture
def client(settings: Settings) -> "Iterator[StdioClient]":
    """A real server over the file, and its client."""
    from support.real_server import server  # most tests do without

    with server(settings.db) as opened:
        opened.initialize()
        yield opened
