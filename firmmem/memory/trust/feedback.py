"""Feedback: votes move trust, `verified` makes a draft validated, and a branch is merged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmmem.contract import Author, Changed, NewMemory, Outcome
from firmmem.memory.rows.moves import write_tier
from firmmem.memory.rows.ranking_keys import RANK, Life
from firmmem.memory.rows.sessions import enter_session
from firmmem.memory.rows.shelves import ensure_shelf, memories_on_shelf, memory_identity, move_to_shelf, normalise_label
from firmmem.memory.rows.supersede import find_living, find_rivals, supersede
from firmmem.memory.trust.votes import add_vote
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import clean_text
from firmmem.text.screening import refuse

if TYPE_CHECKING:
    from firmmem.settings import Settings
    from firmmem.store.database import Database


async def give_feedback(
    database: Database,
    memory_ids: Sequence[int],
    outcome: Outcome,
    author: Author,
    *,
    namespace: str,
    branch: str = "",
    note: str = "",
    now: float,
) -> Changed:
    """Say that memories proved right, wrong or verified; `verified` merges what belongs to a branch.

    Raises:
        InvalidTextError: A name or the note can't be stored as it is.
        RefusedTextError: The note is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    return await database.write(
        record_feedback,
        memory_ids,
        outcome,
        author,
        database.settings,
        namespace=normalise_label(namespace),
        branch=normalise_label(branch),
        note=clean_remark(note, database.settings),
        now=now,
    )


def clean_remark(text: str, settings: Settings) -> str:
    """Return what a caller says about a change, as it may be stored: the same is kept out as of a memory."""
    if not text.strip():
        return ""
    said = clean_text(text)
    refuse(said, cap=settings.summary_cap)
    return said


def record_feedback(
    connection: Connection,
    memory_ids: Sequence[int],
    outcome: Outcome,
    author: Author,
    settings: Settings,
    *,
    namespace: str,
    branch: str,
    note: str,
    now: float,
) -> Changed:
    """Judge memories one by one, in a transaction."""
    author = replace(author, session=enter_session(connection, namespace, author, settings, now=now).key)
    rows = find_named(connection, memory_ids, namespace=namespace, branch=branch)
    lines: list[str] = []
    done = 0
    for memory_id, row in rows.items():
        obstacle = obstacle_to_feedback(row, find_living(connection, row, namespace))
        if obstacle:
            lines.append(f"#{memory_id} {obstacle}")
            continue
        lines.append(f"#{memory_id} {record_vote(connection, row, outcome, author, settings, note=note, now=now)}")
        done += 1
    if branch and not rows:
        lines.append(f"branch {branch!r} holds no memories")
    return Changed(tuple(lines), done)


def find_named(connection: Connection, memory_ids: Sequence[int], *, namespace: str, branch: str) -> dict[int, Any]:
    """Return the memories that ids or a branch name, by id; None for an id that is not found."""
    rows: dict[int, Any] = dict.fromkeys(memory_ids)
    for row in fetch(connection, "memory_by_id", ids=json.dumps(list(memory_ids)), namespace=namespace):
        rows[row["id"]] = row
    if branch and not memory_ids:
        rows |= {row["id"]: row for row in memories_on_shelf(connection, namespace, "active", branch)}
    return rows


def obstacle_to_feedback(row: Any, living: Any) -> str:
    """Return why a memory takes no feedback, or nothing; `living` is what it has become."""
    if row is None:
        return "not found"
    if row["tier"] == "core":
        return "is a core fact: its trust is 1 and stays so; only a person changes core facts"
    if row["state"] == "superseded":
        now = row["superseded_by"] if living is None else living["id"]
        return f"was superseded and is #{now} now: give feedback on that one"
    if row["state"] != "active":
        return f"is {row['state']}: nothing was changed"
    return ""


def record_vote(
    connection: Connection,
    row: Any,
    outcome: Outcome,
    author: Author,
    settings: Settings,
    *,
    note: str,
    now: float,
) -> str:
    """Vote on one memory, and return what became of it."""
    life = Life.of(row)
    after = add_vote(connection, row, life, outcome, author, settings, note=note, now=now)
    said = [f"trust {life.trust:.2f} → {after.trust:.2f}"]
    if after == life:
        said = [f"trust stays {life.trust:.2f}: this session already said {outcome}"]
    if outcome == "verified" and after.tier == "draft":
        after = replace(after, tier="validated")
        write_tier(connection, row, after, now=now, cause="verified")
        said.append("draft → validated")
    if outcome == "verified" and row["branch"]:
        said.append(merge_into_main(connection, row, after, author, settings, note=note, now=now))
    return ", ".join(said)


def merge_into_main(
    connection: Connection, row: Any, life: Life, author: Author, settings: Settings, *, note: str, now: float
) -> str:
    """Bring one memory of a branch into main memory, where it may supersede; return what became of it."""
    [namespace] = fetch(connection, "namespace", shelf=row["shelf"])
    space = namespace["namespace"]
    key = memory_identity(space, "", row["summary"])
    twins = fetch(connection, "memory_by_identity", identity=key)
    if twins:
        return join_twin(connection, row, life, twins[0], space, author, settings, note=note, now=now)
    shelf = ensure_shelf(connection, space, "active", "")
    rivals = find_rivals(connection, shelf, row["subject"], life.tier)
    move_to_shelf(connection, row, shelf, now=now, cause="branch", reason=f"merged from {row['branch']}", identity=key)
    asked = NewMemory(row["summary"], life.tier, space, supersedes=tuple(json.loads(row["supersedes"])))
    done = supersede(connection, row["id"], asked, rivals.weaker, now=now)
    replaced = "".join(f", supersedes #{quote.id}" for quote in done.quotes)
    conflicts = "".join(f", in conflict with #{rival['id']}" for rival in rivals.firmer)
    return f"merged from branch {row['branch']!r}{replaced}{conflicts}" + "".join(f", {note}" for note in done.notes)


def join_twin(
    connection: Connection,
    row: Any,
    life: Life,
    twin: Any,
    namespace: str,
    author: Author,
    settings: Settings,
    *,
    note: str,
    now: float,
) -> str:
    """Let a memory of a branch go into the one that main memory already has of the same text."""
    if twin["state"] == "quarantined":
        return f"not merged: #{twin['id']} says the same and is in quarantine"
    if twin["tier"] == "core" and twin["state"] != "active":
        return f"not merged: #{twin['id']} says the same, and a person removed it"
    history = ensure_shelf(connection, namespace, "superseded", row["branch"])
    move_to_shelf(connection, row, history, now=now, cause="branch", superseded_by=twin["id"])
    if twin["state"] == "archived":
        shelf = ensure_shelf(connection, namespace, "active", "")
        move_to_shelf(connection, twin, shelf, now=now, cause="branch", reason="merged")
    if twin["tier"] != "core":  # the vote is given on what stays, so that taking it back reaches that one
        lived = add_vote(connection, twin, Life.of(twin), "verified", author, settings, note=note, now=now)
        firmest = min(life.tier, twin["tier"], key=RANK.__getitem__)
        write_tier(connection, twin, replace(lived, tier=firmest), now=now, cause="verified")
    return f"merged into #{twin['id']}, which says the same"
