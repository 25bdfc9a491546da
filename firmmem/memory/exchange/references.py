"""What the memories of an import say of each other: bound once all of them have the ids they have here."""

import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from firmmem.errors import InvalidArgumentError
from firmmem.store.statements import Connection, fetch, run

Kind = Literal["superseded_by", "supersedes", "conflict"]


@dataclass
class References:
    """Which ids the memories of an import have here, and what refers to them.

    A new one's id is `offset` above the one it had; `merged` holds those that are the same memory as one here.
    """

    offset: int
    merged: dict[int, int] = field(default_factory=dict)  # id in the file → id here
    bonds: deque[tuple[Kind, int, list[int]]] = field(default_factory=deque)  # id here, ids in the file

    def here(self, given: int) -> int:
        """Return the id that a memory of the file has here."""
        return self.merged.get(given, given + self.offset)

    def is_new(self, memory: int) -> bool:
        """Return whether a memory here came with the file."""
        return memory > self.offset

    def refuse_circles(self, connection: Connection) -> None:
        """Refuse memories that supersede themselves, at once or by way of others: such a history has no end.

        Raises:
            InvalidArgumentError: There are some.
        """
        successor = {memory: self.here(targets[0]) for kind, memory, targets in self.bonds if kind == "superseded_by"}
        itself = [
            memory for kind, memory, targets in self.bonds if kind == "supersedes" and memory in map(self.here, targets)
        ]
        ended: set[int] = set()
        for start in list(successor):
            path: dict[int, None] = {}
            memory: int | None = start
            while memory is not None and memory not in ended and memory not in path:
                path[memory] = None
                memory = successor[memory] if memory in successor else self.successor_here(connection, memory)
            if memory in path:
                itself.append(start)
                break
            ended.update(path)
        if itself:
            exported = {here: given for given, here in self.merged.items()}
            named = exported.get(itself[0], itself[0] - self.offset)
            raise InvalidArgumentError(
                f"Memory {named} supersedes itself, at once or by way of others; nothing was imported."
            )

    def successor_here(self, connection: Connection, memory: int) -> int | None:
        """Return what supersedes a memory that was here before."""
        found = [] if self.is_new(memory) else fetch(connection, "memory", id=memory)
        return found[0]["superseded_by"] if found else None

    def bind(
        self,
        connection: Connection,
        noted: Callable[[int], AbstractContextManager[None]],
        until: float,
        *,
        last: bool = False,
    ) -> deque[tuple[Kind, int, list[int]]]:
        """Bind what can be until a moment, in a transaction; return what waits for a memory that is not here yet.

        Raises:
            InvalidArgumentError: `last`, and a memory is superseded by one that is not in the file.
        """
        waiting: deque[tuple[Kind, int, list[int]]] = deque()
        while self.bonds:
            kind, memory, targets = bond = self.bonds.popleft()
            ids = [self.here(target) for target in targets]
            there = all(fetch(connection, "memory", id=each) for each in ids)
            if there or last:
                with noted(memory):
                    self.write(connection, kind, memory, ids, there=there)
            else:
                waiting.append(bond)
            if time.perf_counter() > until:
                break
        return waiting

    def write(self, connection: Connection, kind: Kind, memory: int, ids: list[int], *, there: bool) -> None:
        """Write one bond down."""
        if kind == "superseded_by":
            if not there:
                raise InvalidArgumentError(
                    "A memory is superseded by one that is not in the file; nothing was imported."
                )
            run(connection, "import_superseded_by", id=memory, superseded_by=ids[0])
        elif kind == "supersedes":
            run(connection, "import_supersedes", id=memory, supersedes=json.dumps(ids))
        else:
            run(connection, "import_conflict", memory=memory, other=ids[0])
