"""Upkeep, for tests: the jobs by name, at once, by a clock that is turned by hand."""

from dataclasses import dataclass
from typing import Any

import pytest

from firmmem.store.database import Database
from firmmem.store.statements import Connection
from firmmem.upkeep import held
from firmmem.upkeep.held import perform_job
from firmmem.upkeep.schedule import JOBS
from support.stores import Clock

BY_NAME = {job.name: job for job in JOBS}
QUICK = ("tiers", "forget", "purge")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "PAUSE", 0.0)
    monkeypatch.setattr(held, "SHARE", 0.0)


@dataclass
class Keeper:
    """What does the periodic work on one file."""

    database: Database
    clock: Clock

    async def run(self, *names: str) -> list[str | None]:
        """Run jobs that are due, and return what each said."""
        return [await perform_job(self.database, BY_NAME[name], self.clock) for name in names]

    async def days(self, count: int, *names: str, each: int = 1) -> None:
        """Let days pass, with the work done `each` times a day."""
        for _ in range(count * each):
            self.clock.pass_days(1 / each)
            await self.run(*names or QUICK)

    async def query(self, statement: str, *parameters: object) -> list[dict[str, Any]]:
        def read(connection: Connection) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(statement, parameters)]

        return await self.database.read(read)

    async def snapshot(self) -> list[dict[str, Any]]:
        """Every memory as the file has it, bit for bit."""
        return await self.query("SELECT * FROM memory ORDER BY id")

    async def states(self) -> dict[str, int]:
        """How many memories are in each state."""
        rows = await self.query(
            "SELECT shelf.state, count(*) AS count FROM memory JOIN shelf ON shelf.id = memory.shelf GROUP BY 1"
        )
        return {row["state"]: row["count"] for row in rows}
