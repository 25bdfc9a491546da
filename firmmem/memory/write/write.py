"""Remember: one text becomes one memory, once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import PERSON, Author, NewMemory, Quote, Status, Tier, Written
from firmmem.memory.rows.changes import keep_version, note_change, note_goal
from firmmem.memory.rows.hidden import show_written
from firmmem.memory.rows.moves import note_kept, write_tier
from firmmem.memory.rows.ranking_keys import RANK, Life, keys_for_new_row
from firmmem.memory.rows.sessions import enter_session
from firmmem.memory.rows.shelves import (
    ensure_goal,
    ensure_shelf,
    memory_identity,
    move_to_shelf,
    normalise_label,
    row_range,
)
from firmmem.memory.rows.supersede import find_rivals, quote_row, supersede
from firmmem.memory.trust import votes
from firmmem.memory.write.annotate import TAG_CAP, add_labels, index_words, is_suspect, refused_label_notes
from firmmem.memory.write.near_duplicates import Similar, find_similar
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import clean_text, describe_cleaning, normal_form
from firmmem.text.screening import refuse, refuse_secrets
from firmmem.text.search_words import Indexed

if TYPE_CHECKING:
    from firmmem.settings import Settings
    from firmmem.store.database import Database

PLANS = 3  # of a goal that are named
INITIAL_TRUST: dict[Tier, float] = {"core": 1.0, "strategic": 0.8, "validated": 0.7, "draft": 0.5}


async def write_memory(database: Database, new: NewMemory, author: Author, *, now: float) -> Written:
    """Store a memory, or find that it is there already.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    kept = check_memory(new, database.settings)
    result = await database.write(store_memory, kept, author, database.settings, now=now)
    return replace(result, notes=(*result.notes, *describe_changes(new)))


def describe_changes(new: NewMemory) -> tuple[str, ...]:
    """Return a note on each change that what is to be stored takes."""
    surplus = (f"only the first {TAG_CAP} tags were kept",) if len(new.tags) > TAG_CAP else ()
    return (*describe_cleaning(new.summary), *surplus)


def check_memory(new: NewMemory, settings: Settings) -> NewMemory:
    """Return the memory as it may be stored: cleaned, its labels in their normal form."""
    summary = clean_text(new.summary)
    refuse(summary, cap=settings.summary_cap)
    subject, goal, branch, namespace, tags = check_labels(
        new.subject, new.goal_id, new.branch, new.namespace, tuple(new.tags[:TAG_CAP])
    )
    return replace(
        new,
        summary=summary,
        subject=subject,
        goal_id=goal,
        branch=branch,
        namespace=namespace,
        tags=tags,
        importance=scoring.clamp_unit(new.importance),
    )


@lru_cache(4096)  # the same labels come again and again, in an import above all
def check_labels(
    subject: str, goal: str, branch: str, namespace: str, tags: tuple[str, ...]
) -> tuple[str, str, str, str, tuple[str, ...]]:
    """Return labels in their normal form: a subject, a goal, a branch, a namespace and tags."""
    subject, goal, branch, namespace = map(normalise_label, (subject, goal, branch, namespace))
    labels = [normalise_label(tag) for tag in tags if tag.strip()]
    refuse_secrets(subject, goal, branch, namespace, *labels)  # as they are stored, but for their case
    return subject, goal, branch, namespace, tuple(dict.fromkeys(map(normal_form, labels)))


def store_memory(connection: Connection, new: NewMemory, author: Author, settings: Settings, *, now: float) -> Written:
    """Store a checked memory, in a transaction."""
    key = memory_identity(new.namespace, new.branch, new.summary)
    found = fetch(connection, "memory_by_identity", identity=key)
    if new.tier == "core" and (settled := settled_by_person(connection, new, key)):
        return Written(settled["id"], "core", "removed")
    if found and author == PERSON and found[0]["suspect"]:
        run(connection, "memory_vouched", id=found[0]["id"])
    if found:
        row = show_written(connection, found[0], new.namespace, now=now)
        return answer_known(connection, row, new, author, settings, now=now)
    shelf = ensure_shelf(connection, new.namespace, "active", new.branch)
    rivals = find_rivals(connection, shelf, new.subject, new.tier)
    if new.tier == "core" and rivals.core:
        return refuse_core_subject(rivals.core[0])
    goal, notes = goal_number(connection, new, now=now)
    words = index_words(new.summary, new.subject, new.tags)
    alike = find_similar(
        connection, new.summary, words.words, neighbourhood(connection, new, shelf), new.supersedes, dict(new.near)
    )
    doubtful = is_suspect(new, author.client)
    session = enter_session(connection, new.namespace, author, settings, now=now)
    memory_id = insert_memory(
        connection, new, author, shelf, goal, key, words, doubtful=doubtful, session=session.id, now=now
    )
    done = supersede(connection, memory_id, new, rivals.weaker, now=now)
    against = find_conflicting(alike, (*rivals.firmer, *done.firmer), done.quotes)
    note_conflicts(connection, memory_id, against)
    mentioned = (*done.quotes, *against, *alike.duplicates)
    return Written(
        memory_id,
        new.tier,
        "stored",
        superseded=done.quotes,
        similar=drop_quotes(alike.duplicates, done.quotes),
        conflicting=against,
        same_goal=find_plans(connection, new, shelf, goal, memory_id, mentioned),
        notes=(*notes, *done.notes, *itself(memory_id, new), *warnings(doubtful=doubtful)),
    )


def note_conflicts(connection: Connection, memory_id: int, against: Sequence[Quote]) -> None:
    """Keep which memories a memory seems to contradict."""
    if against:
        others = json.dumps([quote.id for quote in against])
        run(connection, "conflict_insert", memory=memory_id, others=others)


def find_plans(
    connection: Connection, new: NewMemory, shelf: int, goal: int, memory_id: int, mentioned: Sequence[Quote]
) -> tuple[Quote, ...]:
    """Return the newest strategic memories that stand for the goal of a strategic one, and were not mentioned yet."""
    if new.tier != "strategic" or not goal:
        return ()
    known = json.dumps([memory_id, *(quote.id for quote in mentioned)])
    rows = fetch(connection, "goal_plans", shelf=shelf, goal=goal, known=known, most=PLANS)
    return tuple(quote_row(row) for row in rows)


def settled_by_person(connection: Connection, new: NewMemory, key: bytes) -> Any:
    """Return the core fact of this text that a person removed or edited since, unless it is a person who writes."""
    found = fetch(connection, "core_settled", namespace=new.namespace, identity=key)
    return found[0] if found else None


def insert_memory(
    connection: Connection,
    new: NewMemory,
    author: Author,
    shelf: int,
    goal: int,
    key: bytes,
    words: Indexed,
    *,
    doubtful: bool,
    session: int | None = None,
    now: float,
) -> int:
    """Add the row and return its id."""
    trust = INITIAL_TRUST[new.tier]
    importance = 1.0 if new.tier == "core" else new.importance
    life = Life(new.tier, importance, trust, 0.0, 0, 1.0, now)
    keys = keys_for_new_row(connection, life)
    [next_id] = fetch(connection, "memory_next_id")
    run(
        connection,
        "memory_insert",
        id=next_id["id"],
        shelf=shelf,
        tier=new.tier,
        goal=goal,
        subject=new.subject,
        summary=new.summary,
        tags=json.dumps(new.tags, ensure_ascii=False),
        identity=key,
        source=author.client,
        session=session,
        suspect=int(doubtful),
        importance=importance,
        trust=trust,
        strength=life.strength,
        supersedes=json.dumps(new.supersedes if new.branch else ()),
        words=words.words,
        repeated=words.repeated,
        length=words.length,
        now=now,
        **keys,
    )
    note_change(connection, "added", memory=next_id["id"], now=now)
    return int(next_id["id"])


def goal_number(connection: Connection, new: NewMemory, *, now: float) -> tuple[int, tuple[str, ...]]:
    """Return the number of the memory's goal, 0 without one; a strategic memory opens it."""
    if not new.goal_id or new.tier == "core":
        return 0, ()
    goal = ensure_goal(connection, new.namespace, new.goal_id)
    closed = goal["closed_at"] is not None
    if new.tier == "strategic" and (closed or goal["opened_at"] is None):
        note_goal(connection, goal, now=now)
        run(connection, "goal_open", id=goal["id"], now=now)
        return goal["id"], (f"goal {new.goal_id!r} was closed and is open again",) if closed else ()
    return goal["id"], (f"goal {new.goal_id!r} is closed",) if closed else ()


def neighbourhood(connection: Connection, new: NewMemory, shelf: int) -> tuple[int, int]:
    """Return the rows of the search index in which a new memory's like is looked for: main memory."""
    if not new.branch:
        return row_range(shelf)
    found = fetch(connection, "shelf", namespace=new.namespace, state="active", branch="")
    return row_range(found[0]["id"]) if found else (0, 0)


def answer_known(
    connection: Connection, row: Any, new: NewMemory, author: Author, settings: Settings, *, now: float
) -> Written:
    """Answer a text that is there already: bring it back, complete it, or make it firmer, as the write asks."""
    if row["state"] == "quarantined":
        return Written(row["id"], row["tier"], "quarantined")
    doubtful = is_suspect(new, author.client)
    if row["tier"] == "core":
        if row["state"] != "active":
            return Written(row["id"], "core", "removed")
        return Written(row["id"], "core", "known", notes=refused_label_notes(row, new, 0))
    shelf = ensure_shelf(connection, new.namespace, "active", new.branch)
    if new.tier == "core":
        rivals = find_rivals(connection, shelf, row["subject"] or new.subject, "core", but=row["id"])
        if rivals.core:
            return refuse_core_subject(rivals.core[0])
    archived = row["state"] != "active"
    if archived:
        move_to_shelf(connection, row, shelf, now=now, cause="agent", reason="written again")
    goal, notes = goal_number(connection, new, now=now)
    if connection.acting is not None:
        keep_version(connection, row, now=now)
    add_labels(connection, row, new, goal, doubtful=doubtful)
    firmer = RANK[new.tier] < RANK[row["tier"]]
    if firmer:
        promote_memory(connection, row, new.tier, settings, now=now)
    if not archived and not firmer:
        note_kept(connection, row, now=now)
    notes = (*notes, *refused_label_notes(row, new, goal), *warnings(doubtful=doubtful))
    status: Status = "restored" if archived else "promoted" if firmer else "known"
    return supersede_by_known(connection, row, new, new.tier if firmer else row["tier"], status, notes, now=now)


def supersede_by_known(
    connection: Connection,
    row: Any,
    new: NewMemory,
    tier: Tier,
    status: Status,
    notes: tuple[str, ...],
    *,
    now: float,
) -> Written:
    """Let a known memory supersede what its new text would, and say what became of it.

    A call that was made before and changes nothing else leaves alone what has come to stand beside it since.
    """
    shelf = ensure_shelf(connection, new.namespace, "active", new.branch)
    rivals = find_rivals(connection, shelf, row["subject"] or new.subject, tier, but=row["id"])
    weaker = () if status == "known" and row["subject"] else rivals.weaker
    done = supersede(connection, row["id"], replace(new, tier=tier), weaker, now=now)
    conflicting = find_conflicting(Similar(), (*rivals.firmer, *done.firmer), done.quotes)
    note_conflicts(connection, row["id"], conflicting)
    return Written(
        row["id"], tier, status, superseded=done.quotes, conflicting=conflicting, notes=(*notes, *done.notes)
    )


def promote_memory(connection: Connection, row: Any, tier: Tier, settings: Settings, *, now: float) -> None:
    """Make a memory firmer: its votes fold from the higher tier's trust, and core is beyond them."""
    initial = max(row["initial_trust"], INITIAL_TRUST[tier])
    run(connection, "initial_trust", id=row["id"], initial_trust=initial)
    if tier == "core":
        life = replace(Life.of(row), tier=tier, trust=1.0, importance=1.0)
        write_tier(connection, row, life, now=now, cause="written")
        return
    outcomes = [each["outcome"] for each in votes.counting_votes(connection, row["id"])]
    life = replace(Life.of(row), tier=tier, trust=votes.fold_votes(initial, outcomes, settings))
    write_tier(connection, row, life, now=now, cause="written")


def refuse_core_subject(core: Any) -> Written:
    """Answer a core fact whose subject has one already."""
    return Written(core["id"], "core", "refused", conflicting=(quote_row(core),))


def find_conflicting(alike: Similar, firmer: Sequence[Any], superseded: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return what is against a new memory: firmer ones that it would replace, and what it seems to contradict."""
    quotes = [*(quote_row(row) for row in firmer), *alike.contradicted]
    return drop_quotes(tuple({each.id: each for each in quotes}.values()), superseded)


def drop_quotes(quotes: tuple[Quote, ...], others: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the quotes whose memories are not among the others."""
    ids = {other.id for other in others}
    return tuple(each for each in quotes if each.id not in ids)


def itself(memory_id: int, new: NewMemory) -> tuple[str, ...]:
    """Return a note where a new memory names the id that it got as one to supersede."""
    return (f"#{memory_id} was not superseded: it is this memory",) if memory_id in new.supersedes else ()


def warnings(*, doubtful: bool) -> tuple[str, ...]:
    """Return what the writer should know of the text it wrote."""
    return ("the text reads like an instruction: it is kept as data and marked so",) if doubtful else ()
