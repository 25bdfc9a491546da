"""What the memories of an export say of each other: bound once all of them have the ids they have here."""

import json
from dataclasses import dataclass, field

from firmmem.errors import InvalidArgumentError
from firmmem.store.statements import Connection, fetch, run

HIGHEST = 2**38  # an id that an import gives; the search index has room below 2**40, for all that is written after it


@dataclass
class References:
    """Which ids the memories of an export have here, and what refers to them.

    A new one's id is `offset` above the one it had; `merged` holds those that are the same memory as one here.
    """

    offset: int
    merged: dict[int, int] = field(default_factory=dict)  # id in the export → id here
    successors: list[tuple[int, int]] = field(default_factory=list)  # id here, id in the export, as in those below
    supersedes: list[tuple[int, list[int]]] = field(default_factory=list)
    conflicts: list[tuple[int, int]] = field(default_factory=list)

    def here(self, exported_id: int) -> int:
        """Return the id that a memory of the export has here."""
        return self.merged.get(exported_id, exported_id + self.offset)

    def taken(self, connection: Connection, exported_id: int) -> bool:
        """Return whether a memory of the export with this id has come already."""
        return exported_id in self.merged or bool(fetch(connection, "memory", id=self.here(exported_id)))

    def new(self, exported_id: int) -> int:
        """Return the id that is given to a memory of the export that is not here.

        Raises:
            InvalidArgumentError: It would leave no room for what is written after it.
        """
        given = self.here(exported_id)
        if given > HIGHEST:
            raise InvalidArgumentError("its id is too high to be one of FirmMem's.")
        return given

    def bind(self, connection: Connection) -> None:
        """Write down what refers to other memories, now that all have their ids.

        Raises:
            InvalidArgumentError: A memory refers to one that is not in the file.
        """
        for memory, successor in self.successors:
            run(connection, "import_superseded_by", id=memory, superseded_by=self.here(successor))
        refuse_circles(connection, self)
        for memory, targets in self.supersedes:
            ids = json.dumps([self.here(target) for target in targets])
            run(connection, "import_supersedes", id=memory, supersedes=ids)
        for memory, other in self.conflicts:
            run(connection, "import_conflict", memory=memory, other=self.here(other))
        if fetch(connection, "import_dangling"):
            raise InvalidArgumentError("A memory is superseded by one that is not in the file; nothing was imported.")


def refuse_circles(connection: Connection, references: References) -> None:
    """Refuse memories that supersede themselves, at once or by way of others: such a history has no end.

    Raises:
        InvalidArgumentError: There are some.
    """
    exported = {references.here(each): each for each in references.merged}
    itself = [memory for memory, targets in references.supersedes if memory in map(references.here, targets)]
    successor = dict(
        connection.execute("SELECT id, superseded_by FROM memory WHERE superseded_by IS NOT NULL").fetchall()
    )
    ended: set[int] = set()
    for start, _ in references.successors:
        path: dict[int, None] = {}
        memory: int | None = start
        while memory is not None and memory not in ended and memory not in path:
            path[memory] = None
            memory = successor.get(memory)
        if memory in path:
            itself.append(memory)
            break
        ended.update(path)
    if itself:
        named = exported.get(itself[0], itself[0] - references.offset)
        raise InvalidArgumentError(
            f"Memory {named} supersedes itself, at once or by way of others; nothing was imported."
        )


def build_references(connection: Connection) -> References:
    """Return the references of an export that is about to come: an empty file lets it keep its ids."""
    [there] = fetch(connection, "memory_next_id")
    empty = not connection.execute("SELECT 1 FROM memory LIMIT 1").fetchall()
    return References(0 if empty else there["id"] - 1)
