"""A memory of an export that is here already: the two are joined."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from firmmem import scoring
from firmmem.contract import NewMemory
from firmmem.errors import InvalidArgumentError
from firmmem.memory.exchange.record import MemoryRecord, MoveRecord
from firmmem.memory.exchange.references import References
from firmmem.memory.rows.ranking_keys import RANK, Life, save_life
from firmmem.memory.rows.shelves import ensure_goal, ensure_shelf, normalise_label
from firmmem.memory.trust.votes import counting_votes, fold_votes
from firmmem.memory.write.annotate import add_labels, is_suspect
from firmmem.memory.write.write import check_memory
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch, run

ShelfOf = Callable[[str, str, str], int]  # a namespace, a state and a branch → the shelf


def merge_memory(
    connection: Connection, record: MemoryRecord, new: NewMemory, row: Any, references: References, settings: Settings
) -> None:
    """Join a memory with the same one here: the later life counts, and the ledgers are joined."""
    before = len(fetch(connection, "export_votes", memory=row["id"]))
    join_ledgers(connection, record, row["id"], references, partial(ensure_shelf, connection))
    lacking = new.goal_id and not row["goal"]
    add_labels(
        connection,
        row,
        new,
        ensure_goal(connection, new.namespace, new.goal_id)["id"] if lacking else 0,
        doubtful=is_suspect(new, record.source),
    )
    initial = max(row["initial_trust"], record.initial_trust)
    life = later_life(Life.of(row), exported_life(record))
    votes = counting_votes(connection, row["id"])
    if initial != row["initial_trust"]:
        run(connection, "initial_trust", id=row["id"], initial_trust=initial)
    if initial != row["initial_trust"] or len(fetch(connection, "export_votes", memory=row["id"])) != before:
        life = replace(life, trust=fold_votes(initial, [vote["outcome"] for vote in votes], settings))
    if life != Life.of(row):
        save_life(connection, row["id"], life)
    if record.state_at > row["state_at"] and record.state != row["state"]:
        move_as_exported(connection, record, new, row, references)


def move_as_exported(
    connection: Connection, record: MemoryRecord, new: NewMemory, row: Any, references: References
) -> None:
    """Put a memory where the export has put it later."""
    run(
        connection,
        "move",
        id=row["id"],
        shelf=ensure_shelf(connection, new.namespace, record.state, new.branch),
        identity=row["identity"],
        superseded_by=None if record.superseded_by is None else row["id"],  # until its successor is here
        now=record.state_at,
        cause=record.state_cause,
        reason=record.state_reason,
    )
    if record.superseded_by is not None:
        references.bonds.append(("superseded_by", row["id"], [record.superseded_by]))


def join_ledgers(
    connection: Connection, record: MemoryRecord, memory: int, references: References, shelf_of: ShelfOf
) -> None:
    """Add what the export knows of a memory's past."""
    for vote in record.votes:
        run(connection, "import_vote", memory=memory, **vote.model_dump())
        if vote.revoked_at is not None:
            run(connection, "import_revocation", memory=memory, **vote.model_dump())
    for review in record.reviews:
        run(connection, "import_review", memory=memory, **review.model_dump())
    for move in record.moves:
        run(connection, "import_move", memory=memory, **with_shelves(record, move, shelf_of))
    for quarantine in record.quarantines:
        run(connection, "import_quarantine", memory=memory, **quarantine.model_dump())
    if record.exposure:
        run(connection, "import_exposure", memory=memory, **record.exposure.model_dump())
    references.bonds += [("conflict", memory, [other]) for other in record.conflicts]


def with_shelves(record: MemoryRecord, move: MoveRecord, shelf_of: ShelfOf) -> dict[str, object]:
    """Return a move with the shelves that it went between."""
    space = normalise_label(record.namespace)
    return move.model_dump() | {
        "from_shelf": shelf_of(space, move.from_state, move.from_branch),
        "to_shelf": shelf_of(space, move.to_state, move.to_branch),
    }


def as_stored_text(record: MemoryRecord, settings: Settings) -> NewMemory:
    """Return a record's text and labels as a write would store them.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    new = NewMemory(
        record.summary,
        record.tier,
        record.namespace,
        branch=record.branch,
        goal_id=record.goal,
        subject=record.subject,
        tags=tuple(record.tags),
        importance=record.importance,
    )
    kept = check_memory(new, settings)
    if not kept.namespace:
        raise InvalidArgumentError("it belongs to no namespace.")
    return kept


def exported_life(record: MemoryRecord) -> Life:
    """Return the life that a record tells of; core stands beyond trust."""
    life = Life(
        record.tier,
        record.importance,
        record.trust,
        record.consolidation,
        record.recall_count,
        record.strength,
        record.reviewed_at,
    )
    return replace(life, trust=1.0) if record.tier == "core" else life


def later_life(one: Life, other: Life) -> Life:
    """Return the life that was reviewed later, at the firmer tier and the higher importance."""
    newest = other if (other.reviewed_at, other.recall_count) > (one.reviewed_at, one.recall_count) else one
    firmer = min(one.tier, other.tier, key=RANK.__getitem__)
    return replace(
        newest, tier=firmer, importance=scoring.clamp_unit(max(one.importance, other.importance)), trust=one.trust
    )
