"""Tombstones in exports: what was erased here does not come back, and what was erased there keeps its place here."""

from collections.abc import Mapping
from typing import Any

from firmmem.memory.exchange.record import MemoryRecord
from firmmem.store.statements import Connection, fetch, run


def find_tombstone(connection: Connection, record: MemoryRecord, namespace: str) -> Any:
    """Return the id of what is left here of a memory that was erased, None where it was not.

    A tombstone has nothing of the text to compare: it is known by when it was written, and by its id where others were
    written at the same moment.
    """
    found = fetch(connection, "import_tombstone", namespace=namespace, created_at=record.created_at, id=record.id)
    return found[0]["id"] if found else None


def insert_tombstone(
    connection: Connection,
    record: MemoryRecord,
    namespace: str,
    memory_id: int,
    shelf: int,
    life: Mapping[str, Any],
) -> None:
    """Add what is left of a memory that was erased where the export comes from."""
    run(
        connection,
        "import_erased",
        id=memory_id,
        shelf=shelf,
        source=record.source,
        namespace=namespace,
        session=record.session,
        initial_trust=record.initial_trust,
        created_at=record.created_at,
        state_at=record.state_at,
        superseded_by=None if record.superseded_by is None else memory_id,  # until its successor is here
        **{name: value for name, value in life.items() if name != "fades_at"},
    )
    run(
        connection,
        "import_erasure",
        id=memory_id,
        at=record.state_at,
        origin=record.id,
        alone=int(record.alone),
    )
