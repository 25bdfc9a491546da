"""What was answered: every write with its id, to be found in the file and in search afterwards."""

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from support.stdio_client import StdioClient

SYLLABLES = [first + second for first in "bdfgklmnprst" for second in "aeiou"]
STORED = re.compile(r"stored #(\d+) ")
LOOK = """
import json, sys
from pathlib import Path
from firmmem.contract import Question
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction
from firmmem.memory.recall.recall import find
from firmmem.settings import Settings
settings = Settings(db=Path(sys.argv[1]))
wanted = json.load(sys.stdin)
file = open_connection(settings, writes=False)
rows = {row[0]: row[1] for row in file.execute("SELECT id, summary FROM memory")}
lost = [text for id_, text in wanted if rows.get(id_) != text]
unfound = []
for id_, text in wanted[:: max(1, len(wanted) // 2000)]:
    told = find(file, Question("default", query=text, limit=5, token_budget=20000), settings, now=0.0)
    if id_ not in [memory.id for memory in told.memories]:
        unfound.append(text)
[(whole,)] = file.execute("PRAGMA integrity_check(1)").fetchall()
print(json.dumps({"rows": len(rows), "lost": lost, "unfound": unfound, "integrity": whole}))
file.close()
"""


@dataclass
class Oracle:
    """Writes that were answered, from any number of threads, and how long each took."""

    db: Path
    answered: list[tuple[int, str]] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)  # when each answer was read
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def server(self, **environment: str) -> StdioClient:
        """Start a server on the file."""
        env = {**os.environ, "FIRMMEM_DB": str(self.db), "FIRMMEM_ENV_FILE": os.devnull, **environment}
        return StdioClient([sys.executable, "-m", "firmmem"], env=env)

    def write(self, client: StdioClient, chance: random.Random) -> str:
        """Write a statement that no other is like, and note it if it is answered as stored."""
        text = statement(chance)
        began = time.perf_counter()
        said = client.text("firmmem_write_event_memory", summary=text)
        took = time.perf_counter() - began
        found = STORED.match(said)
        with self._lock:
            self.seconds.append(took)
            if found:
                self.answered.append((int(found[1]), text))
                self.moments.append(time.monotonic())
            else:
                self.errors.append(said)
        return said

    def await_answers(self, more: int, seconds: float = 30.0) -> None:
        """Wait, but not for ever, until so many more writes have been answered."""
        until, wanted = time.monotonic() + seconds, len(self.answered) + more
        while len(self.answered) < wanted and time.monotonic() < until:
            time.sleep(0.01)

    def forget_since(self, moment: float) -> list[tuple[int, str]]:
        """Let answers that were read after a moment not count; return them."""
        kept = [read < moment for read in self.moments]
        late = [pair for pair, early in zip(self.answered, kept, strict=True) if not early]
        self.answered = [pair for pair, early in zip(self.answered, kept, strict=True) if early]
        self.moments = [read for read in self.moments if read < moment]
        return late

    def held(self) -> dict[str, object]:
        """Look into the file from another process: what is lost, what search does not find, whether it is whole."""
        done = subprocess.run(
            [sys.executable, "-c", LOOK, str(self.db)],
            input=json.dumps(self.answered),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return {"rows": 0, "lost": ["all"], "unfound": [], "integrity": done.stderr[-300:]}
        told: dict[str, object] = json.loads(done.stdout)
        return told

    def faults(self) -> list[str]:
        """Return what is wrong after all that was done; nothing if every answered write is there."""
        told = self.held()
        said = [f"{len(told[what])} answered writes {what}" for what in ("lost", "unfound") if told[what]]  # type: ignore[arg-type]
        said += [f"integrity: {told['integrity']}"] if told["integrity"] != "ok" else []
        said += [f"{len(self.errors)} errors to a client, such as {self.errors[0][:120]}"] if self.errors else []
        twice = len({id_ for id_, _ in self.answered}) != len(self.answered)
        return said + (["an id was answered twice"] if twice else [])

    def percentile(self, share: float) -> float:
        """Return how many milliseconds a share of the writes took at most."""
        ordered = sorted(self.seconds) or [0.0]
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def statement(chance: random.Random) -> str:
    """Return a sentence of words that hardly any other has."""
    words = ["".join(chance.choices(SYLLABLES, k=4)) for _ in range(4)]
    return f"The {words[0]} of {words[1]} is {words[2]} {words[3]} {chance.randrange(10**9)}"
