"""Revoke: a client's votes are taken back exactly, as if they had never been given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import Tier
from firmmem.memory.rows.chunks import take_while_brief
from firmmem.memory.rows.moves import write_tier
from firmmem.memory.rows.ranking_keys import CHUNK, Life
from firmmem.memory.trust.votes import counting_votes, fold_votes
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings


@dataclass(frozen=True)
class Refolded:
    """What became of a memory whose votes were taken back."""

    id: int
    namespace: str
    state: str
    votes: int
    trust_before: float
    trust_after: float
    tier_before: Tier
    tier_after: Tier


def revoke_votes(
    connection: Connection,
    client: str,
    settings: Settings,
    *,
    session: str = "",
    namespace: str = "",
    reason: str = "",
    after: int = 0,
    now: float,
) -> list[Refolded]:
    """Take back a client's votes on the next memories, in a transaction, and return what became of each.

    Call it with the last id as `after` until nothing is left. Consolidation stays: what was recalled was recalled.
    """
    rows = fetch(connection, "voted_on", client=client, session=session, namespace=namespace, after=after, chunk=CHUNK)
    return [
        refold_without(connection, row, client, settings, session=session, reason=reason, now=now)
        for row in take_while_brief(rows)
    ]


def refold_without(
    connection: Connection, row: Any, client: str, settings: Settings, *, session: str, reason: str, now: float
) -> Refolded:
    """Take back a client's votes on one memory, fold the others again, and check what rested on them."""
    votes = fetch(connection, "revocable", memory=row["id"], client=client, session=session)
    before = Life.of(row)
    others = remaining_outcomes(connection, row["id"], client, session)
    after = life_without(connection, before, row, others, votes, settings)
    run(
        connection,
        "revocation_insert",
        votes=json.dumps([vote["id"] for vote in votes]),
        now=now,
        reason=reason,
        trust_before=before.trust,
        trust_after=after.trust,
    )
    if after != before:
        write_tier(connection, row, after, now=now, cause="revoked", reason=reason)
    return Refolded(
        row["id"],
        row["namespace"],
        row["state"],
        len(votes),
        before.trust,
        after.trust,
        before.tier,
        after.tier,
    )


def remaining_outcomes(connection: Connection, memory_id: int, client: str, session: str) -> list[str]:
    """Return the outcomes that count once a client's votes do not; '' is every session."""
    return [
        vote["outcome"]
        for vote in counting_votes(connection, memory_id)
        if vote["client"] != client or session not in ("", vote["session"])
    ]


def life_without(
    connection: Connection, life: Life, row: Any, others: Sequence[str], votes: Sequence[Any], settings: Settings
) -> Life:
    """Return a memory's life by the votes that stand; no vote moves a core fact's."""
    if life.tier == "core":
        return life
    after = replace(life, trust=fold_votes(row["initial_trust"], others, settings))
    rested = rests_on(connection, row, {vote["outcome"] for vote in votes})
    return replace(after, tier="draft") if rested and not still_holds(after, others, settings) else after


def rests_on(connection: Connection, row: Any, revoked: AbstractSet[str]) -> bool:
    """Return whether a memory is validated because of votes such as those that are taken back."""
    if row["tier"] != "validated":
        return False
    causes = [move["cause"] for move in fetch(connection, "promotion", memory=row["id"])]
    return (causes == ["verified"] and "verified" in revoked) or (causes == ["earned"] and revoked != {"negative"})


def still_holds(life: Life, others: Sequence[str], settings: Settings) -> bool:
    """Return whether the other votes make a memory validated too."""
    earned = life.trust >= settings.promote_trust and life.recall_count >= settings.promote_reviews
    return earned or "verified" in others
