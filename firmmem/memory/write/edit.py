"""Editing by a person's hand: another text, subject, tags, goal, tier or importance; what was there is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import NewMemory, Tier
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.changes import keep_version
from firmmem.memory.rows.moves import write_tier
from firmmem.memory.rows.ranking_keys import RANK, Life
from firmmem.memory.rows.shelves import memory_identity, normalise_label
from firmmem.memory.rows.supersede import find_rivals
from firmmem.memory.trust.votes import counting_votes, fold_votes
from firmmem.memory.write.annotate import index_words
from firmmem.memory.write.write import INITIAL_TRUST, check_memory, goal_number
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings

USUAL_IMPORTANCE = 0.5  # of what was a core fact, which has no importance of its own


@dataclass(frozen=True)
class Edit:
    """What shall be different; None keeps what is there."""

    text: str | None = None
    subject: str | None = None
    tags: Sequence[str] | None = None
    goal: str | None = None
    tier: Tier | None = None
    importance: float | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for."""
        return self == Edit()


def edit_memory(
    connection: Connection, memory_id: int, edit: Edit, settings: Settings, *, namespace: str, now: float
) -> Any:
    """Change a memory of any tier; needs a connection by a person. Return it as it was.

    Raises:
        InvalidArgumentError: There is no such memory to edit, or another one says the same.
        InvalidTextError: The text or a label can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    row = require_editable(connection, memory_id, namespace)
    tier: Tier = edit.tier or row["tier"]
    wanted = NewMemory(
        row["summary"] if edit.text is None else edit.text,
        tier,
        namespace,
        row["branch"],
        goal_id=edit.goal or "",
        subject=row["subject"] if edit.subject is None else edit.subject,
        tags=tuple(json.loads(row["tags"]) if edit.tags is None else edit.tags),
    )
    new = check_memory(wanted, settings)
    goal = row["goal"]
    if edit.goal is not None or tier == "core":
        goal, _ = goal_number(connection, new, now=now)
    life, initial = edited_life(connection, row, tier, edit.importance, settings)
    if is_same(row, new, goal, life):
        return row
    refuse_duplicate(connection, row, new)
    keep_version(connection, row, now=now)
    rewrite_row(connection, row, new, goal, initial, now=now)
    write_tier(connection, row, replace(life, reviewed_at=now), now=now, cause="person", reason="edited")
    return row


def require_editable(connection: Connection, memory_id: int, namespace: str) -> Any:
    """Return a memory that can be edited.

    Raises:
        InvalidArgumentError: There is none of this id, it is history, or it is set aside.
    """
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=normalise_label(namespace))
    if not rows:
        raise InvalidArgumentError(f"There is no memory #{memory_id} in namespace {namespace!r}: see firmmem list.")
    if rows[0]["state"] == "superseded":
        raise InvalidArgumentError(f"#{memory_id} is history: edit #{rows[0]['superseded_by']}, which replaced it.")
    if rows[0]["state"] == "erased":
        raise InvalidArgumentError(f"#{memory_id} was erased: nothing of it is left to edit.")
    if rows[0]["state"] not in ("active", "archived"):
        raise InvalidArgumentError(f"#{memory_id} is {rows[0]['state']}: firmmem restore {memory_id} comes first.")
    return rows[0]


def edited_life(
    connection: Connection, row: Any, tier: Tier, importance: float | None, settings: Settings
) -> tuple[Life, float]:
    """Return the life of a memory in its wanted tier, and the trust that its votes fold from."""
    life = Life.of(row)
    if importance is not None and tier != "core":
        life = replace(life, importance=importance)
    if tier == row["tier"]:
        return life, row["initial_trust"]
    was_core = row["tier"] == "core"
    initial = INITIAL_TRUST[tier] if was_core else max(row["initial_trust"], INITIAL_TRUST[tier])
    if RANK[tier] > RANK[row["tier"]] and not was_core:
        initial = row["initial_trust"]  # a lower tier takes no trust away
    if tier == "core":
        return replace(life, tier=tier, trust=1.0, importance=1.0), initial
    outcomes = [vote["outcome"] for vote in counting_votes(connection, row["id"])]
    worth = USUAL_IMPORTANCE if was_core and importance is None else life.importance
    return replace(life, tier=tier, trust=fold_votes(initial, outcomes, settings), importance=worth), initial


def is_same(row: Any, new: NewMemory, goal: int, life: Life) -> bool:
    """Return whether an edit changes nothing."""
    before = (row["summary"], row["subject"], json.loads(row["tags"]), row["goal"], Life.of(row))
    return before == (new.summary, new.subject, list(new.tags), goal, life)


def refuse_duplicate(connection: Connection, row: Any, new: NewMemory) -> None:
    """Refuse to make a memory say what another one says, or be about what another one is about already.

    Raises:
        InvalidArgumentError: It would.
    """
    key = memory_identity(new.namespace, new.branch, new.summary)
    rivals = find_rivals(connection, row["shelf"], new.subject, new.tier, but=row["id"])
    others = list(fetch(connection, "memory_by_identity", identity=key))
    if new.subject != row["subject"]:
        others += [*rivals.weaker, *rivals.firmer]
    if new.tier == "core":
        others += rivals.core
    for other in others:
        if other["id"] != row["id"]:
            raise InvalidArgumentError(
                f"#{other['id']} ({other['tier']}) is about the same: change or remove that one."
            )


def rewrite_row(connection: Connection, row: Any, new: NewMemory, goal: int, initial: float, *, now: float) -> None:
    """Give a memory its new text and labels, and the words that find them; a person's text is no agent's order."""
    words = index_words(new.summary, new.subject, new.tags)
    run(
        connection,
        "edit",
        id=row["id"],
        summary=new.summary,
        subject=new.subject,
        tags=json.dumps(new.tags, ensure_ascii=False),
        goal=goal,
        identity=memory_identity(new.namespace, new.branch, new.summary),
        source="person",
        suspect=0,
        initial_trust=initial,
        created_at=now if "core" in (row["tier"], new.tier) else row["created_at"],
        words=words.words,
        repeated=words.repeated,
        length=words.length,
    )
