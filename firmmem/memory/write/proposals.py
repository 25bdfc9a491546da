"""Proposals: core facts that an agent would add, kept apart until a person accepts or refuses them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import Author, NewMemory, Written
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.changes import note_change
from firmmem.memory.rows.sessions import find_session
from firmmem.memory.rows.shelves import ensure_shelf, memory_identity, normalise_label
from firmmem.memory.rows.supersede import find_rivals, quote_row
from firmmem.memory.write.core_facts import add_fact
from firmmem.memory.write.edit import Edit, edit_memory
from firmmem.memory.write.write import check_memory, describe_changes, store_memory
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.claim_tokens import HAN
from firmmem.text.claims import read_claim
from firmmem.text.contradictions import Pair

if TYPE_CHECKING:
    from firmmem.settings import Settings
    from firmmem.store.database import Database

MOST_WAITING = 100  # in one namespace: more than a person reads
ACROSS = 0.3  # a cosine across languages: of what says the same or the opposite .33 to .59, of other facts up to .23


async def offer_fact(database: Database, new: NewMemory, author: Author, *, now: float) -> Written:
    """Add a core fact, or keep it for a person where the settings, a fact that it would change or a cap ask for it.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    kept = check_memory(new, database.settings)
    result = await database.write(store_offer, kept, author, database.settings, now=now)
    return replace(result, notes=(*result.notes, *describe_changes(new)))


def store_offer(connection: Connection, new: NewMemory, author: Author, settings: Settings, *, now: float) -> Written:
    """Add a checked core fact or keep it as a proposal, in a transaction."""
    if settings.core_write == "propose":
        return store_proposal(connection, new, author, now=now)
    shelf = ensure_shelf(connection, new.namespace, "active", "")
    known = fetch(connection, "memory_by_identity", identity=memory_identity(new.namespace, "", new.summary))
    if any(row["tier"] == "core" for row in known):
        return store_memory(connection, new, author, settings, now=now)
    if find_replaced(connection, new, shelf) is not None:
        return store_proposal(connection, new, author, now=now)
    reason = reached_cap(connection, new, author, settings, now=now)
    if not reason:
        return store_memory(connection, new, author, settings, now=now)
    written = store_proposal(connection, new, author, now=now)
    return replace(written, notes=(*written.notes, reason)) if written.status in ("proposed", "crowded") else written


def reached_cap(connection: Connection, new: NewMemory, author: Author, settings: Settings, *, now: float) -> str:
    """Return which cap on core facts is reached, or nothing."""
    [place] = fetch(connection, "shelf", namespace=new.namespace, state="active", branch="")
    if place["core"] >= settings.core_cap:
        return f"the namespace has {place['core']} core facts, and agents add none beyond FIRMMEM_CORE_CAP"
    session = find_session(connection, new.namespace, author, settings, now=now)
    [added] = fetch(connection, "core_of_session", session=session["id"] if session else None)
    if added["count"] >= settings.core_session_cap:
        return (
            f"this session has added {added['count']} core facts, and adds none beyond FIRMMEM_CORE_SESSION_CAP: "
            "what serves a goal is strategic memory, everything else is event memory"
        )
    return ""


def find_replaced(connection: Connection, new: NewMemory, shelf: int) -> Any:
    """Return the core fact that a new one would change: of the same subject, or one that it contradicts.

    A fact in another language is compared by meaning, or, without the model, by whether the new one denies, ends or
    changes anything: then a person compares them.
    """
    rivals = find_rivals(connection, shelf, new.subject, "core").core
    if rivals:
        return rivals[0]
    claim, near = read_claim(new.summary), dict(new.near)
    turning = claim.denied or claim.ended or claim.changed_surely
    for row in reversed(fetch(connection, "core_on_shelf", shelf=shelf)):
        if is_chinese(row["summary"]) == is_chinese(new.summary):
            if Pair.of(read_claim(row["summary"]), claim).is_contradictory(near.get(row["id"], 0.0)):
                return row
        elif turning and (not near or near.get(row["id"], 0.0) >= ACROSS):
            return row
    return None


def is_chinese(text: str) -> bool:
    """Return whether a text has Chinese in it."""
    return HAN.search(text) is not None


def store_proposal(connection: Connection, new: NewMemory, author: Author, *, now: float) -> Written:
    """Keep a checked proposal, in a transaction; its id is the proposal's, where it is one."""
    key = memory_identity(new.namespace, "", new.summary)
    settled = existing_answer(connection, new, key)
    if settled is not None:
        return settled
    [waiting] = fetch(connection, "proposals_waiting", namespace=new.namespace)
    if waiting["count"] >= MOST_WAITING:
        return Written(0, "core", "crowded")
    replaced = find_replaced(connection, new, ensure_shelf(connection, new.namespace, "active", ""))
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
        replaces=replaced["id"] if replaced is not None else None,
        now=now,
    )
    [row] = fetch(connection, "proposal_by_identity", identity=key)
    return Written(row["id"], "core", "proposed", conflicting=() if replaced is None else (quote_row(replaced),))


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
    return None


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
    written = replace_fact(connection, row, settings, now=now)
    if written.status not in ("refused", "quarantined"):
        note_decision(connection, row, now=now)
        run(connection, "proposal_decide", id=proposal_id, state="accepted", memory=written.id, now=now)
    return written


def replace_fact(connection: Connection, proposal: Any, settings: Settings, *, now: float) -> Written:
    """Change the core fact that an accepted proposal replaces, its history kept; add one where it replaces none."""
    tags, namespace = json.loads(proposal["tags"]), proposal["namespace"]
    old = fetch(connection, "memory_by_id", ids=json.dumps([proposal["replaces"]]), namespace=namespace)
    if not old or old[0]["tier"] != "core" or old[0]["state"] != "active":
        return add_fact(
            connection,
            proposal["fact"],
            settings,
            namespace=namespace,
            subject=proposal["subject"],
            tags=tags,
            now=now,
        )
    wanted = Edit(proposal["fact"], proposal["subject"] or None, tags or None)
    edit_memory(connection, old[0]["id"], wanted, settings, namespace=namespace, now=now)
    return Written(old[0]["id"], "core", "changed", superseded=(quote_row(old[0]),))


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
