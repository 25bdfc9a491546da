"""The reply of the README: a real server, asked in process on a file of its own by a clock that is set by hand."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from firmmem.edge.server import build_server
from firmmem.settings import Settings

DAY = 86_400.0
OCTOBER = 1_790_856_000.0  # 2026-10-01 12:00 UTC
QUERY = "When does the teahouse open?"
CALLS: tuple[tuple[int, str, dict[str, Any]], ...] = (
    (0, "write_core_fact", {"fact": "The user's name is Li Wei (李伟).", "subject": "user.name"}),
    (0, "write_strategic_memory", {"summary": "The teahouse opens on 15 March 2027.", "goal_id": "teahouse"}),
    (
        9,
        "write_event_memory",
        {"summary": "茶馆的租约从 2027 年 2 月 1 日开始。", "tags": ["teahouse"], "verified": True},
    ),
    (20, "write_event_memory", {"summary": "Nora asked whether the teahouse will sell oolong.", "tags": ["nora"]}),
    (21, "memory_feedback", {"memory_ids": [2], "outcome": "positive", "note": "Confirmed by the lease."}),
    (30, "recall_memory", {"query": QUERY}),
)


def lines() -> Iterator[str]:
    """Yield a recall as an agent writes it, and the server's reply to it, in a block of code."""
    yield "```text"
    yield f'> firmmem_recall_memory(query="{QUERY}")'
    yield anyio.run(reply)
    yield "```"


async def reply() -> str:
    """Return the reply to the last call, each made on its day."""
    now, text = OCTOBER, ""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(db=Path(folder) / "memory.db", time_zone="UTC")
        async with Client(build_server(settings, lambda: now)) as client:
            for day, tool, arguments in CALLS:
                now = OCTOBER + day * DAY
                [content] = (await client.call_tool(f"firmmem_{tool}", arguments)).content
                text = content.text
    return text
