"""A session under an audit hook: every tool is called, and every connection that is tried is counted."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firmmem.cli.client import Client
from firmmem.doctor.audit import CONTROL


@dataclass(frozen=True)
class Counted:
    """What a session tried, and how many connections of a test the hook saw."""

    calls: int
    control: int
    attempts: tuple[str, ...]


def call_every_tool() -> Counted:
    """Call every tool of a server of its own, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="firmmem-offline-", ignore_cleanup_errors=True) as folder:
        said = Path(folder) / "attempts"
        env = {**os.environ, "FIRMMEM_DB": str(Path(folder) / "offline.db")}
        with Client(env, ("firmmem.cli.watched_server", str(said))) as server:
            calls = [
                server.call("firmmem_write_core_fact", fact="The user's name is Ada."),
                server.call("firmmem_write_strategic_memory", summary="Ship in May.", goal_id="beta"),
                server.call("firmmem_write_event_memory", summary="The office is in Lisbon."),
                server.call("firmmem_recall_memory", query="Where is the office?"),
                server.call("firmmem_recall_memory"),
                server.call("firmmem_memory_feedback", memory_ids=[3], outcome="positive"),
                server.call("firmmem_archive_memory", memory_ids=[3]),
            ]
        attempts = [json.loads(line) for line in said.read_text(encoding="utf-8").splitlines()]
    control = attempts.index(CONTROL)
    return Counted(len(calls), control, tuple(attempts[control + 1 :]))
