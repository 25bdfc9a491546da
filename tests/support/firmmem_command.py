"""`python -m firmmem …` as a person runs it: a process of its own, with an environment of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Firmmem:
    """The command line, on a file in a folder of the test's own."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def db(self) -> Path:
        return self.folder / "memory.db"

    def environment(self) -> dict[str, str]:
        return {**os.environ, "FIRMMEM_DB": str(self.db), "HOME": str(self.folder), **self.env}

    def __call__(self, *arguments: str | Path, program: tuple[str | Path, ...] = ("-m", "firmmem"), **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, *program, *arguments],
            env=self.environment() | env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ran.err, ran.err
        return ran

    def does(self, *arguments: str | Path, **env: str) -> str:
        """Run a command that succeeds, and return what it printed."""
        ran = self(*arguments, **env)
        assert ran.code == 0, ran.err
        return ran.out

    def facts(self, *arguments: str) -> list[dict[str, Any]]:
        """Return the core facts as `core list --json` tells them."""
        listed: list[dict[str, Any]] = json.loads(self.does("core", "list", "--json", *arguments))
        return listed

    def texts(self, *arguments: str) -> list[str]:
        return [fact["fact"] for fact in self.facts(*arguments)]
