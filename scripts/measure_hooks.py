"""Measure what agents' hooks cost, and how often they speak.

    python scripts/measure_hooks.py times                 a hook's process beside Python's own start
    python scripts/measure_hooks.py shares DATA           ordinary prompts and real questions, at five gates

Times are those of whole processes, measured in turns in one run. "Spoken falsely" is the share of prompts about other
things that would be given memories; "answers kept" is the share of questions whose answer is among what is given, of
those whose answer a recall with the same budget and no gate finds. DATA is a folder with locomo/ and lifebench/.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast

import documents
import typer
from benching import store
from evaluation import asking, sets
from tqdm import tqdm

from firmmem.contract import Author, Question
from firmmem.hook.check import OTHER_PROMPTS
from firmmem.hook.give import MOST, choose_for_prompt
from firmmem.memory.recall.recall import find
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection

GATES = (0.3, 0.4, 0.5, 0.6, 0.7)
NOBODY = Author("", "")
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def times(
    sizes: Annotated[str, typer.Option("--sizes", help="Memories in the store, with commas.")] = "1000,100000",
    runs: Annotated[int, typer.Option("--runs", min=5)] = 60,
    folder: Annotated[Path, typer.Option("--folder", help="Where stores are kept.")] = Path(tempfile.gettempdir()),
) -> None:
    """Print how long hooks take beside `python -c "import sqlite3"`."""
    rows = []
    for size in map(int, sizes.split(",")):
        file = store.filled(folder, size)
        word = " ".join(store.words_of(size // 2, size)[:3])
        events = {
            "a prompt that gets memories": {"hook_event_name": "UserPromptSubmit", "prompt": f"what about {word}?"},
            "a prompt that gets nothing": {"hook_event_name": "UserPromptSubmit", "prompt": "ok, go on"},
            "a session's start": {"hook_event_name": "SessionStart", "source": "startup"},
        }
        for name, event in events.items():
            plain, hooks = in_turns(file, event, runs)
            limit = 1.3 * percentile(plain) + 60
            rows.append(
                (f"{size:,}", name, *(f"{statistics.median(each):.0f}" for each in (plain, hooks)),
                 f"{percentile(plain):.0f}", f"{percentile(hooks):.0f}", f"{limit:.0f}")
            )  # fmt: skip
    heads = ("memories", "event", "Python, median ms", "hook, median", "Python, p95", "hook, p95", "aimed at: p95")
    print(documents.table(heads, rows))


def in_turns(file: Path, event: dict[str, str], runs: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of Python's start and of a hook, each measured after the other."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {
        **given,
        "FIRMMEM_DB": str(file),
        "FIRMMEM_ENV_FILE": os.devnull,
        "FIRMMEM_HOOK_SECONDS": "30",
        "PYTHONPYCACHEPREFIX": str(file.parent / "compiled"),  # as pip compiles what it installs
    }
    plain, hooks = [], []
    for number in range(runs + 3):
        said = json.dumps({**event, "session_id": f"s{number}"}).encode()
        plain.append(milliseconds([sys.executable, "-c", "import sqlite3"], environment, b""))
        hooks.append(milliseconds([sys.executable, "-m", "firmmem", "hook"], environment, said))
    return plain[3:], hooks[3:]


def milliseconds(command: list[str], environment: dict[str, str], said: bytes) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=said, env=environment, capture_output=True, check=True)
    return (time.perf_counter() - began) * 1000


def percentile(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


@app.command()
def shares(
    data: Annotated[Path, typer.Argument(help="The folder of the sets.", exists=True, file_okay=False)],
    every: Annotated[int, typer.Option("--every", min=1, help="Only each so manieth question.")] = 1,
    folder: Annotated[Path, typer.Option("--folder", help="Where stores are kept.")] = Path(tempfile.gettempdir()),
) -> None:
    """Print how often hooks would speak falsely, and how many answers they keep."""
    rows = []
    for name, collections in collections_of(data):
        ids, settings = asking.written(collections, folder)
        connection = open_connection(settings, writes=False)
        try:
            rows += list(measure(connection, name, collections, ids, settings, every))
        finally:
            connection.close()
    heads = ("set", "gate", "spoken falsely", "answers kept", "given for a question, tokens")
    print(documents.table(heads, rows))


def collections_of(data: Path) -> Iterator[tuple[str, list[sets.Collection]]]:
    if (path := data / "locomo/locomo_0_4.json").exists():
        yield "LoCoMo", sets.locomo(path)
    for language in ("en", "zh"):
        if (path := data / f"lifebench/lb_{language}.json").exists():
            yield f"LifeBench, {language}", sets.lifebench(path, path)


def measure(
    connection: Connection, name: str, collections: list[sets.Collection], ids: Any, settings: Settings, every: int
) -> Iterator[tuple[str, ...]]:
    asked = [(each, question) for each in collections for question in each.questions][::every]
    for gate in GATES:
        at = gated(settings, gate)
        kept, found, tokens = 0, 0, []
        for collection, question in tqdm(asked, desc=f"{name} {gate}", mininterval=1):
            gold = {ids[collection.name][position] for position in question.gold}
            now = collection.ends_at
            everything = Question(
                collection.name, query=question.text, limit=MOST, token_budget=max(50, settings.hook_prompt_tokens)
            )
            reached = find(connection, everything, gated(settings, 0.0), now=now)
            if not gold & {memory.id for memory in reached.memories}:
                continue
            found += 1
            chosen = choose_for_prompt(connection, collection.name, NOBODY, question.text, frozenset(), at, now=now)
            kept += bool(gold & {choice.memory.id for choice in chosen.given})
            tokens.append(chosen.tokens)
        spoken = [
            bool(choose_for_prompt(connection, each.name, NOBODY, prompt, frozenset(), at, now=each.ends_at).given)
            for each in collections
            for prompt in OTHER_PROMPTS
        ]
        yield (
            name, f"{gate:g}", f"{sum(spoken) / len(spoken):.1%} of {len(spoken):,}",
            f"{kept / max(1, found):.1%} of {found:,}", f"{statistics.mean(tokens or [0]):.0f}",
        )  # fmt: skip


def gated(settings: Settings, gate: float) -> Settings:
    """Return settings whose gates, a recall's and a hook's, are this one."""
    return cast("Settings", SimpleNamespace(**{**vars(settings), "silence": gate, "hook_silence": gate}))


if __name__ == "__main__":
    app()
