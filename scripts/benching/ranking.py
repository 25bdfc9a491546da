"""The ranking by itself, in this process: the best without a scan, and a plain ORDER BY over every row."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benching import store
from firmmem.contract import Question
from firmmem.memory.recall.recall import find
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction

LIMIT = 20
TIMES, SCANS = 200, 5  # how often each is asked
PLAIN = "SELECT id, score FROM memory_score WHERE namespace = ? ORDER BY rank, score DESC LIMIT ?"


def measure(file: Path) -> tuple[float, float]:
    """Return the milliseconds of a recall of 20 without a query, and of ranking every row by tier and score.

    The plain statement uses SQLite's own exp() and returns no more than ids and scores.
    """
    settings = store.settings_of(file)
    question = Question(store.NAMESPACE, limit=LIMIT, token_budget=20_000)
    connection = open_connection(settings, writes=False)
    try:
        with transaction(connection, "BEGIN"):
            ranked = timed(TIMES, lambda: find(connection, question, settings, now=time.time()))
            plain = timed(SCANS, lambda: connection.execute(PLAIN, (store.NAMESPACE, LIMIT)).fetchall())
    finally:
        connection.close()
    return ranked, plain


def timed(times: int, ask: Callable[[], object]) -> float:
    """Return the median in milliseconds, after one that is not counted."""
    seconds = []
    for number in range(times + 1):
        began = time.perf_counter()
        ask()
        if number:
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds) * 1000
