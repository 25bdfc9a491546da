"""Proposals: core facts that an agent would add, kept apart until a person accepts or refuses them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from firmmem.contract import Author, NewMemory, Written
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.changes import note_change
from firmmem.memory.rows.shelves import ensure_shelf, memory_identity, normalise_label
from firmmem.memory.rows.supersede import find_rivals
from firmmem.memory.write.core_facts import add_fact
from firmmem.memory.write.write import check_memory, refuse_core_subject
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings
    from firmmem.store.database import Database

MOST_WAITING = 100  # in one namespace: more than a person reads


async def propose_fact(database: Database, new: NewMemory, author: Author, *, now: float) -> Written:
    """Keep a core fact for a person to decide on, or say why there is nothing to decide.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    return await database.write(store_proposal, check_memory(new, database.settings), author, now=now)


def store_proposal(connection: Connection, new: NewMemory, author: Author, *, now: float) -> Written:
    """Keep a checked proposal, in a transaction; its id is the proposal's, where it is one."""
    key = memory_identity(new.namespace, "", new.summary)
    settled = existing_answer(connection, new, key)
    if settled is not None:
        return settled
    [waiting] = fetch(connection, "proposals_waiting", namespace=new.namespace)
    if waiting["count"] >= MOST_WAITING:
        return Written(0, "core", "crowded")
    run(
        connection,
        "proposal_insert",
        namespace=new.namespace,
        fact=new.summary,
        subject=new.subject,
        tags=json.dumps(new.tags, ensure_ascii=False),
        identity=key,
        client=author.client,
        session=author.session,
        now=now,
    )
    [row] = fetch(connection, "proposal_by_identity", identity=key)
    return Written(row["id"], "core", "proposed")


def existing_answer(connection: Connection, new: NewMemory, key: bytes) -> Written | None:
    """Return the answer to a fact that needs no proposal, or has one; None where it is new."""
    for row in fetch(connection, "memory_by_identity", identity=key):
        if row["tier"] == "core":
            return Written(row["id"], "core", "known" if row["state"] == "active" else "removed")
        if row["state"] == "quarantined":
            return Written(row["id"], row["tier"], "quarantined")
    for row in fetch(connection, "core_settled", namespace=new.namespace, identity=key):
        return Written(row["id"], "core", "removed")
    for row in fetch(connection, "proposal_by_identity", identity=key):
        return Written(row["id"], "core", "proposed" if row["state"] == "waiting" else "declined")
    rivals = find_rivals(connection, ensure_shelf(connection, new.namespace, "active", ""), new.subject, "core").core
    return refuse_core_subject(rivals[0]) if rivals else None


def list_proposals(connection: Connection, namespace: str, *, everything: bool = False) -> list[Any]:
    """Return the proposals that wait in a namespace, oldest first; with `everything`, those decided too."""
    return fetch(connection, "proposals", namespace=normalise_label(namespace), everything=everything)


def accept_proposal(
    connection: Connection, proposal_id: int, settings: Settings, *, namespace: str, now: float
) -> Written:
    """Make a proposal a core fact, refused ones too; needs a connection by a person.

    Raises:
        InvalidArgumentError: There is no such proposal, or it was accepted already.
    """
    row = require_open_proposal(connection, proposal_id, namespace)
    written = add_fact(
        connection,
        row["fact"],
        settings,
        namespace=row["namespace"],
        subject=row["subject"],
        tags=json.loads(row["tags"]),
        now=now,
    )
    if written.status not in ("refused", "quarantined"):
        note_decision(connection, row, now=now)
        run(connection, "proposal_decide", id=proposal_id, state="accepted", memory=written.id, now=now)
    return written


def refuse_proposal(connection: Connection, proposal_id: int, *, namespace: str, now: float) -> Any:
    """Refuse a proposal, and return it; needs a connection by a person. The same text is not proposed again.

    Raises:
        InvalidArgumentError: There is no such proposal, or it was accepted already.
    """
    row = require_open_proposal(connection, proposal_id, namespace)
    note_decision(connection, row, now=now)
    run(connection, "proposal_decide", id=proposal_id, state="refused", memory=None, now=now)
    return row


def note_decision(connection: Connection, row: Any, *, now: float) -> None:
    """Note that a person is about to decide on a proposal."""
    was = {"state": row["state"], "memory": row["memory"], "decided_at": row["decided_at"]}
    note_change(connection, "proposal", proposal=row["id"], was=was, now=now)


def require_open_proposal(connection: Connection, proposal_id: int, namespace: str) -> Any:
    """Return a proposal that can still be decided."""
    rows = fetch(connection, "proposal", id=proposal_id, namespace=normalise_label(namespace))
    if not rows:
        raise InvalidArgumentError(
            f"There is no proposal {proposal_id} in namespace {namespace!r}: see firmmem core proposals."
        )
    if rows[0]["state"] == "accepted":
        raise InvalidArgumentError(
            f"Proposal {proposal_id} was accepted as #{rows[0]['memory']}: firmmem core edit and remove change that."
        )
    return rows[0]
