"""The trust ledger: trust is the fold over each client and session's latest unrevoked vote, in the ledger's order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import Author
from firmmem.memory.rows.changes import note_change
from firmmem.memory.rows.ranking_keys import Life, save_life
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings


def fold_votes(initial: float, outcomes: Iterable[str], settings: Settings) -> float:
    """Return the trust that these votes, oldest first, make of a memory's initial trust."""
    trust = initial
    for outcome in outcomes:
        trust = scoring.update_trust(trust, outcome, settings.feedback_pos_delta, settings.feedback_neg_delta)
    return trust


def counting_votes(connection: Connection, memory_id: int) -> list[Any]:
    """Return the votes that count, oldest first."""
    return fetch(connection, "votes", memory=memory_id)


def list_votes(connection: Connection, memory_id: int) -> list[Any]:
    """Return every vote ever given on a memory, oldest first, with its revocation and whether it counts."""
    return fetch(connection, "ledger", memory=memory_id)


def add_vote(
    connection: Connection,
    row: Any,
    life: Life,
    outcome: str,
    author: Author,
    settings: Settings,
    *,
    note: str = "",
    now: float,
) -> Life:
    """Add a vote on the memory of `row` to the ledger, and return its life after it.

    A client's session has one vote on a memory: a second equal one adds nothing, another outcome replaces it.
    """
    votes = counting_votes(connection, row["id"])
    mine = [each for each in votes if (each["client"], each["session"]) == (author.client, author.session)]
    if mine and mine[0]["outcome"] == outcome:
        return life
    outcomes = [each["outcome"] for each in votes if each not in mine]
    before = mine[0]["outcome"] if mine else ""
    pos, neg = settings.feedback_pos_delta, settings.feedback_neg_delta
    after = replace(
        life,
        trust=fold_votes(row["initial_trust"], [*outcomes, outcome], settings),
        consolidation=scoring.move_towards(undo_consolidation(life.consolidation, before, pos, neg), outcome, pos, neg),
    )
    [added] = fetch(
        connection,
        "vote_insert",
        memory=row["id"],
        now=now,
        client=author.client,
        session=author.session,
        outcome=outcome,
        note=note,
        trust_before=life.trust,
        trust_after=after.trust,
    )
    note_change(connection, "voted", memory=row["id"], vote=added["id"], now=now)
    save_life(connection, row["id"], after)
    return after


def undo_consolidation(consolidation: float, outcome: str, pos: float, neg: float) -> float:
    """Return consolidation without what a vote, now replaced, did to it: else changing one's mind would add up."""
    if not outcome:
        return consolidation
    if outcome == "negative":
        return scoring.clamp_unit(consolidation / (1.0 - neg))
    return scoring.clamp_unit((consolidation - pos) / (1.0 - pos))
