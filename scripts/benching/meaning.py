"""What a query with the model costs the server, what of that is the embedding, and what the model holds in memory."""

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from documents import table
from support.stdio_client import StdioClient
from tqdm import tqdm

from benching import cases, servers, store
from benching.recall import PAUSE_S, WARM_UP, copied
from benching.words import content
from firmmem.encoder.embedding import Encoder, pack_vector
from firmmem.encoder.models import Model, find_model
from firmmem.memory.recall.vectors import find_unembedded, store_vectors
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction

WITH_MODEL = {"ENABLE_SEMANTIC_RERANK": "true"}
LIMITS = {"query": 25.0, "embedding": 12.0, "memory": 180.0}  # ms, ms and MB that are aimed at


@dataclass(frozen=True)
class Meant:
    """Medians in milliseconds, of the clock and of the processor, and the memory of both servers."""

    with_model: tuple[float, float]
    words_only: tuple[float, float]
    embedding: tuple[float, float]
    rss_with_model: float
    rss_words_only: float


def asked(i: int) -> str:
    """Return a question of ordinary words and of two that the store has."""
    return f"What did we decide about {content(60 + i)} and {content(300 + i)} last week?"


def measure(file: Path, rounds: int) -> Meant:
    """Ask a server with the model and one without in turn, on copies of a store with a vector for each memory."""
    model = find_model()
    with copied(file) as copy, ExitStack() as held:
        give_vectors(copy, model)
        meaning = held.enter_context(servers.serving(servers.OURS, copy, WITH_MODEL))
        words = held.enter_context(servers.serving(servers.OURS, copy))
        encoder = Encoder(model)
        took: dict[str, list[tuple[float, float]]] = {"meaning": [], "words": [], "embedding": []}
        for number in tqdm(range(-WARM_UP, rounds), desc="ask", unit=" rounds", mininterval=1):
            query = asked(number + WARM_UP)
            found = {
                "meaning": answered(meaning, query),
                "words": answered(words, query),
                "embedding": computed(lambda query=query: encoder.encode([query], query=True)),
            }
            for name, times in found.items():
                took[name] += [times] if number >= 0 else []
        resident = servers.rss_mb(meaning), servers.rss_mb(words)
    return Meant(*(medians(took[name]) for name in ("meaning", "words", "embedding")), *resident)


def give_vectors(file: Path, model: Model) -> None:
    """Give every memory a chance vector: to compare with it costs what a true one would."""
    import numpy as np

    chance = np.random.default_rng(store.SEED)
    connection = open_connection(store.settings_of(file))
    try:
        after = 0
        while rows := find_unembedded(connection, model, after=after, most=1_000):
            vectors = chance.standard_normal((len(rows), model.dimension)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            packed = [
                (row["id"], row["summary"], "en", pack_vector(each)) for row, each in zip(rows, vectors, strict=True)
            ]
            with transaction(connection):
                store_vectors(connection, model, packed)
            after = rows[-1]["id"]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def answered(client: StdioClient, query: str) -> tuple[float, float]:
    """Return the seconds until a reply has been read, and those that the server computed for it."""
    before = servers.cpu_ns(client)
    seconds, _ = servers.timed(client, cases.RECALL, {"query": query})
    time.sleep(PAUSE_S)
    return seconds, (servers.cpu_ns(client) - before) / 1e9


def computed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that something takes here, and those of the processor."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    wall, processor = (statistics.median(each) * 1000 for each in zip(*times, strict=True))
    return wall, processor


def report(found: Meant, size: int) -> str:
    """Return the figures beside what is aimed at."""
    rows = [
        ["a query by words", *figures(found.words_only), "–"],
        ["a query with the model", *figures(found.with_model), f"≤ {LIMITS['query']:g}"],
        ["of which its embedding", *figures(found.embedding), f"≤ {LIMITS['embedding']:g}"],
    ]
    more = found.rss_with_model - found.rss_words_only
    resident = (
        f"The server with the model loaded and {size:,} vectors held takes {found.rss_with_model:.0f} MB of memory, "
        f"{more:+.0f} MB to one without it; aimed at is at most +{LIMITS['memory']:g} MB."
    )
    return f"{table((f'{size:,} memories, ms, medians', 'until the reply', 'CPU', 'aimed at'), rows)}\n\n{resident}"


def figures(times: tuple[float, float]) -> list[str]:
    return [f"{each:.1f}" for each in times]
