"""Vectors: a memory's meaning, kept in the file and searched in memory.

Each process holds the vectors of the namespaces it is asked about, and before each search reads what changed since
the one before. A memory that has no vector yet is found by its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.encoder.embedding import Encoder, language, pack_vector, similarity
from firmmem.encoder.models import Model
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from firmmem.memory.recall.meaning import QueryMeaning

ROOM = 64  # vectors that a space first has room for; it doubles when they are too many
LANGUAGES = ("other", "zh", "en")


def encoder_id(connection: Connection, model: Model) -> int:
    """Return the number under which the file knows a model, 0 before its first vector."""
    found = fetch(connection, "encoder", fingerprint=model.fingerprint)
    return int(found[0]["id"]) if found else 0


def find_unembedded(connection: Connection, model: Model, *, after: int, most: int) -> list[Any]:
    """Return the next memories above the id `after` that have no vector of a model."""
    return fetch(connection, "unembedded", encoder=encoder_id(connection, model), after=after, most=most)


def count_unembedded(connection: Connection, model: Model) -> int:
    """Return how many memories have no vector of a model."""
    [row] = fetch(connection, "count_unembedded", encoder=encoder_id(connection, model))
    return int(row["count"])


def read_vectors(encoder: Encoder, rows: Sequence[Any]) -> list[tuple[int, str, str, bytes]]:
    """Return id, text, language and packed vector of memories; slow, so never on a database thread."""
    vectors = encoder.encode([row["summary"] for row in rows], query=False)
    return [
        (row["id"], row["summary"], language(row["summary"]), pack_vector(vector))
        for row, vector in zip(rows, vectors, strict=True)
    ]


def store_vectors(connection: Connection, model: Model, vectors: Sequence[tuple[int, str, str, bytes]]) -> None:
    """Store vectors, in a transaction; one whose memory has another text by now is dropped."""
    run(connection, "encoder_insert", fingerprint=model.fingerprint, name=model.id)
    encoder = encoder_id(connection, model)
    for memory, text, spoken, packed in vectors:
        run(connection, "vector_insert", memory=memory, encoder=encoder, text=text, language=spoken, packed=packed)


class Space:
    """The vectors of one namespace, in memory."""

    def __init__(self) -> None:
        self.change = 0
        self.count = 0
        self.places: dict[int, int] = {}
        self.ids: NDArray[np.int64]
        self.shelves: NDArray[np.int64]
        self.languages: NDArray[np.int8]
        self.packed: NDArray[Any]

    def take(self, rows: Sequence[Any]) -> None:
        """Take in vectors that are new or have moved."""
        for row in rows:
            place = self.places.setdefault(row["memory"], self.count)
            if place == self.count:
                self._make_room(len(row["packed"]))
                self.count += 1
            self.ids[place], self.shelves[place] = row["memory"], row["shelf"]
            self.languages[place] = LANGUAGES.index(row["language"]) if row["language"] in LANGUAGES else 0
            self.packed.view(f"V{self.packed.dtype.itemsize}")[place] = row["packed"]
            self.change = max(self.change, row["change"])

    def _make_room(self, size: int) -> None:
        import numpy as np

        if not self.count:
            self.ids, self.shelves = np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64)
            self.languages = np.zeros(ROOM, np.int8)
            self.packed = np.zeros(ROOM, [("scale", "<f4"), ("codes", "i1", (size - 4,))])
        elif self.count == len(self.ids):
            for name in ("ids", "shelves", "languages", "packed"):
                held = getattr(self, name)
                setattr(self, name, np.concatenate([held, np.zeros(len(held), held.dtype)]))


@dataclass(frozen=True)
class Nearness:
    """How near each clause of a query is to the memories of a namespace: cosines [clauses, memories]."""

    cosines: NDArray[np.float32]
    space: Space
    spoken: list[int]  # each clause's place in LANGUAGES

    def of(self, memory: int, clause: int = 0) -> tuple[float | None, int]:
        """Return a memory's cosine, None without a vector, and whether it is in another language than the clause."""
        place = self.space.places.get(memory)
        if place is None:
            return None, 0
        return float(self.cosines[clause, place]), int(self.space.languages[place] != self.spoken[clause])

    def nearest(self, shelves: Sequence[int], most: int, clause: int = 0) -> list[int]:
        """Return the ids of the nearest memories on some shelves, nearest first."""
        import numpy as np

        here = np.isin(self.space.shelves[: self.space.count], shelves)
        cosines = np.where(here, self.cosines[clause], np.float32(-2.0))
        some = np.argpartition(-cosines, most)[:most] if len(cosines) > most else np.arange(len(cosines))
        best = some[np.argsort(-cosines[some], kind="stable")]
        return [int(self.space.ids[place]) for place in best if here[place]]

    def closeness(self, clause: int, shelves: Sequence[int]) -> tuple[float, float]:
        """Return the nearest cosine to a clause on some shelves, and by how much it stands out from the next ones.

        Memories in another language than the clause are compared among themselves: their cosines are lower.
        """
        import numpy as np

        here = np.isin(self.space.shelves[: self.space.count], shelves)
        own = self.space.languages[: self.space.count] == self.spoken[clause]
        found = [(0.0, 0.0)]
        for side, lower in ((own, 0.0), (~own, scoring.FOREIGN)):
            cosines = self.cosines[clause][here & side]
            if len(cosines):
                rivals = (
                    np.sort(np.partition(cosines, -scoring.RIVALS)[-scoring.RIVALS :])
                    if len(cosines) > scoring.RIVALS
                    else cosines
                )
                least = rivals.min() if len(cosines) >= scoring.RIVALS else cosines.mean()
                found.append((float(rivals.max()) + lower, float(rivals.max() - least)))
        return max(found, key=lambda each: scoring.NEAR * each[0] + scoring.MARGIN * each[1])


@dataclass
class Spaces:
    """The vectors that a process holds, by namespace, for one model. Only the reading thread touches them."""

    model: Model
    _spaces: dict[str, Space] = field(default_factory=dict)

    def nearness(self, connection: Connection, namespace: str, sought: QueryMeaning) -> Nearness | None:
        """Compare a query with a namespace's memories, those that other processes wrote too; None without any."""
        space = self._spaces.setdefault(namespace, Space())
        encoder = encoder_id(connection, self.model)
        space.take(fetch(connection, "vectors", encoder=encoder, namespace=namespace, change=space.change))
        if not space.count:
            return None
        cosines = similarity(sought.vectors, space.packed[: space.count])
        return Nearness(cosines, space, [LANGUAGES.index(spoken) for spoken in sought.spoken])
