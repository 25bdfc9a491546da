"""Lets memtru, an outside suite for the isolation and deletion of agents' memories, test a real FirmMem server.

memtru is proprietary and free to run against one's own system; it is no dependency, and nothing of it is in here.

    python -m venv suite && suite/bin/pip install memtru
    suite/bin/python scripts/memtru_adapter.py        writes memtru.yaml into the working folder
    FIRMMEM_PYTHON=python PYTHONPATH=scripts suite/bin/memtru test

Each tenant and user, and each session for what belongs to a session, is a namespace. An update is a memory that
supersedes the old one, and goes by the first one's id; a deletion is an archiving, as an agent has no other.
"""

import json
import os
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

# The client that the tests speak with, which sees every byte.
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from support.stdio_client import StdioClient

try:
    from memtru.adapters.base import Capability, MemoryAdapter, MemoryRecord
except ImportError:
    sys.exit("memtru is not installed here: see the top of this file")

LINE = re.compile(r"#(\d+) \w+ \S+ (?:strong |fair |weak )?(?:\[[^\]]*\] )?(.*)")
STORED = re.compile(r"(?:stored|already known: |restored|promoted)\D*#?(\d+)")
CONFIG = """\
version: 1
project:
  name: firmmem
adapter:
  type: custom
  entrypoint: memtru_adapter:FirmMemAdapter
execution:
  environment: sandbox
scenarios: all
report:
  formats: [json]
  output_dir: reports
"""


class FirmMemAdapter(MemoryAdapter):  # type: ignore[misc]
    """One server, spoken to over its pipes as any client does, one call after the other."""

    name = "firmmem"

    def __init__(self, *_: object, **__: object) -> None:
        self._turn = threading.Lock()
        self._latest: dict[str, str] = {}  # id of a first version → of its latest
        self._folder = tempfile.TemporaryDirectory(prefix="firmmem-memtru-", ignore_cleanup_errors=True)
        env = {**os.environ, "FIRMMEM_DB": str(Path(self._folder.name) / "firmmem.db"), "FIRMMEM_ENV_FILE": os.devnull}
        self._client = StdioClient([os.environ.get("FIRMMEM_PYTHON", sys.executable), "-m", "firmmem"], env=env)
        self._client.initialize()

    def capabilities(self) -> Any:
        return frozenset(
            {
                Capability.MEMORY_WRITE,
                Capability.MEMORY_SEARCH,
                Capability.MEMORY_READ_BY_ID,
                Capability.MEMORY_UPDATE,
                Capability.MEMORY_DELETE,
                Capability.USER_ISOLATION,
                Capability.TENANT_ISOLATION,
                Capability.SESSION_ISOLATION,
            }
        )

    def setup(self, namespace: str) -> None:
        """Namespaces need no preparation."""

    def teardown(self, namespace: str) -> None:
        """The file goes with the folder."""

    def add(self, ctx: Any, content: str, *, metadata: Any = None, scope: str = "user") -> Any:  # noqa: ARG002
        said = self._text("write_event_memory", summary=content, namespace=self._namespaces(ctx, scope)[-1])
        return self._record(ctx, self._id(said), content)

    def search(self, ctx: Any, query: str, *, limit: int = 10) -> Any:
        found = []
        for namespace in self._namespaces(ctx, "session" if ctx.session_id else "user"):
            said = self._text("recall_memory", query=query, limit=limit, namespace=namespace)
            found += [self._record(ctx, *each) for each in LINE.findall(said)]
        return found[:limit]

    def get(self, ctx: Any, memory_id: str) -> Any:
        for namespace in self._namespaces(ctx, "session" if ctx.session_id else "user"):
            said = self._text("recall_memory", limit=100, token_budget=20000, namespace=namespace)
            for id_, content in LINE.findall(said):
                if id_ == self._latest.get(memory_id, memory_id):
                    return self._record(ctx, memory_id, content)
        return None

    def update(self, ctx: Any, memory_id: str, content: str, *, metadata: Any = None) -> Any:  # noqa: ARG002
        old = self._latest.get(memory_id, memory_id)
        namespace = self._holding(ctx, old)
        said = self._text("write_event_memory", summary=content, supersedes=[old], namespace=namespace)
        self._latest[memory_id] = self._id(said)
        return self._record(ctx, memory_id, content)

    def delete(self, ctx: Any, memory_id: str) -> None:
        latest = self._latest.get(memory_id, memory_id)
        self._text("archive_memory", memory_ids=[latest], namespace=self._holding(ctx, latest))

    def describe(self) -> dict[str, str]:
        return {"server": "firmmem"}

    def close(self) -> None:
        self._client.close()
        self._client.__exit__()
        self._folder.cleanup()

    def _text(self, tool: str, **arguments: object) -> str:
        with self._turn:
            return self._client.text(f"firmmem_{tool}", **arguments)

    def _namespaces(self, ctx: Any, scope: str) -> list[str]:
        user = json.dumps([ctx.namespace, ctx.tenant_id, ctx.user_id])
        return [user, json.dumps([user, ctx.session_id])] if scope == "session" else [user]

    def _holding(self, ctx: Any, memory_id: str) -> str:
        spaces = self._namespaces(ctx, "session" if ctx.session_id else "user")
        for namespace in spaces:
            if f"#{memory_id} " in self._text("recall_memory", limit=100, token_budget=20000, namespace=namespace):
                return namespace
        return spaces[0]

    def _id(self, said: str) -> str:
        found = STORED.match(said)
        if not found:
            raise ValueError(said)
        return found[1]

    def _record(self, ctx: Any, id_: str, content: str) -> Any:
        return MemoryRecord(
            id=id_, content=content, tenant_id=ctx.tenant_id, user_id=ctx.user_id, session_id=ctx.session_id
        )


if __name__ == "__main__":
    Path("memtru.yaml").write_text(CONFIG, encoding="utf-8")
