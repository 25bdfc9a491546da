"""`firmmem demo`: the main job on real parts, a server started over stdio as a client starts it."""

import os
import tempfile
import time
from pathlib import Path

from firmmem.cli.client import Client
from firmmem.cli.config import show_all
from firmmem.cli.core import open_for_changes
from firmmem.cli.facts import list_entries
from firmmem.cli.init import example_file, seed_all
from firmmem.cli.terminal import say
from firmmem.settings import Settings

NAMESPACE = "demo"  # also in a file that --db names: nothing invented gets among real memories
TEA = "用户喜欢喝绿茶，不加糖 (green tea, no sugar)"


def demonstrate(settings: Settings, db: Path | None) -> None:
    """Show the main job, in a file that is thrown away or in the one that is named."""
    if db:
        show_steps(settings, db)
    else:
        with tempfile.TemporaryDirectory(prefix="firmmem-demo-", ignore_cleanup_errors=True) as folder:
            show_steps(settings, Path(folder) / "demo.db")
    say("\n=== 5. What to paste into your client\n")
    show_all(settings, "")
    kept = f"The demo's memories stay in {db}, namespace {NAMESPACE}." if db else "The demo's file is gone."
    say(f"\n{kept} Yours will be in {settings.db}.")


def show_steps(settings: Settings, db: Path) -> None:
    """Seed, write and recall, each step by the part that does it for real."""
    say(f"=== 1. Core facts, as `firmmem init` adds them ({db})\n")
    seed_core_facts(settings.model_copy(update={"db": db}))
    env = {**os.environ, "FIRMMEM_DB": str(db), "DEFAULT_NAMESPACE": NAMESPACE, "FIRMMEM_CORE_WRITE": "add"}
    with Client(env) as server:
        about = server.server["serverInfo"]
        say(f"\n=== 2. A server over stdio: {about['name']} {about['version']}\n")
        say("\n".join(server.tools()))
        say("\n=== 3. A memory of each tier\n")
        write_each_tier(server)
    with Client(env) as server:
        say("\n=== 4. A new server on the same file recalls them, with scores")
        recall_twice(server)


def seed_core_facts(settings: Settings) -> None:
    """Add the core facts of the example file."""
    import tomllib

    with open_for_changes(settings) as connection:
        facts = list_entries(tomllib.loads(example_file()))
        say("\n".join(seed_all(connection, facts, settings, NAMESPACE, "the example", now=time.time())))


def write_each_tier(server: Client) -> None:
    """Write one memory of each tier by the tools that an agent has."""
    show_call(server, "firmmem_write_core_fact", fact="The user is allergic to peanuts.", subject="user.allergy")
    show_call(
        server,
        "firmmem_write_strategic_memory",
        summary="Open the teahouse in Hangzhou in spring, with no more than 300,000 yuan.",
        goal_id="teahouse",
        tags=["plan"],
    )
    show_call(
        server,
        "firmmem_write_event_memory",
        summary="The lease of the shop on Hefang Street costs 9,500 yuan a month; the contract was read.",
        verified=True,
        goal_id="teahouse",
    )
    show_call(server, "firmmem_write_event_memory", summary=TEA, tags=["taste"])


def recall_twice(server: Client) -> None:
    """Recall what matters now, then by an English and by a Chinese query."""
    show_call(server, "firmmem_recall_memory")
    show_call(server, "firmmem_recall_memory", query="What does the shop cost?", goal_id="teahouse")
    show_call(server, "firmmem_recall_memory", query="绿茶", explain=True)


def show_call(server: Client, tool: str, **arguments: object) -> None:
    """Call a tool, and show the call and its answer."""
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    say(f"\n> {tool}({given})")
    say(server.call(tool, **arguments))
