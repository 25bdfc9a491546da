"""Remember: one text becomes one memory, once."""

import json
from dataclasses import replace
from typing import Any

from firmmem import scoring
from firmmem.contract import Author, NewMemory, Quote, Status, Tier, Written
from firmmem.memory.rows.moves import keep, retier
from firmmem.memory.rows.ranking_keys import RANK, Life, placed
from firmmem.memory.rows.shelves import identity, label, move, named_goal, rows_of, shelf_id
from firmmem.memory.rows.supersede import Rivals, quote, rivals_of, supersede
from firmmem.memory.trust import votes
from firmmem.memory.write.annotate import TAG_CAP, annotate, indexed, kept_as_it_was, suspect
from firmmem.memory.write.near_duplicates import Similar, similar
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import clean, normal_form
from firmmem.text.screening import refuse, refuse_secrets
from firmmem.text.search_words import Indexed

INITIAL_TRUST: dict[Tier, float] = {"core": 1.0, "strategic": 0.8, "validated": 0.7, "draft": 0.5}


async def write(database: Database, new: NewMemory, author: Author, *, now: float) -> Written:
    """Store a memory, or find that it is there already.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    kept = checked(new, database.settings)
    result = await database.write(remember, kept, author, database.settings, now=now)
    if len(new.tags) > TAG_CAP:
        return replace(result, notes=(*result.notes, f"only the first {TAG_CAP} tags were kept"))
    return result


def checked(new: NewMemory, settings: Settings) -> NewMemory:
    """Return the memory as it may be stored: cleaned, its labels in their normal form."""
    summary = clean(new.summary)
    refuse(summary, cap=settings.summary_cap)
    subject, goal, branch, namespace = map(label, (new.subject, new.goal_id, new.branch, new.namespace))
    tags = [label(tag) for tag in new.tags[:TAG_CAP] if tag.strip()]
    refuse_secrets(subject, goal, branch, namespace, *tags)  # as they are stored, but for their case
    return replace(
        new,
        summary=summary,
        subject=normal_form(subject),
        goal_id=goal,
        branch=branch,
        namespace=namespace,
        tags=tuple(dict.fromkeys(map(normal_form, tags))),
        importance=scoring.unit(new.importance),
    )


def remember(connection: Connection, new: NewMemory, author: Author, settings: Settings, *, now: float) -> Written:
    """Store a checked memory, in a transaction."""
    key = identity(new.namespace, new.branch, new.summary)
    found = fetch(connection, "memory_by_identity", identity=key)
    if new.tier == "core" and (settled := by_a_person(connection, new, key)):
        return Written(settled["id"], "core", "removed")
    if found:
        return known(connection, found[0], new, settings, now=now)
    shelf = shelf_id(connection, new.namespace, "active", new.branch)
    rivals = rivals_of(connection, shelf, new.subject, new.tier)
    if new.tier == "core" and rivals.core:
        return refused(rivals.core[0])
    goal, notes = goal_of(connection, new, now=now)
    words = indexed(new.summary, new.subject, new.tags)
    alike = similar(connection, words.words, neighbourhood(connection, new, shelf), new.supersedes)
    doubtful = suspect(new)
    memory_id = insert(connection, new, author, shelf, goal, key, words, doubtful=doubtful, now=now)
    superseded, more = supersede(connection, memory_id, new, rivals.weaker, now=now)
    against = conflicting(alike, rivals, superseded)
    if against:
        others = json.dumps([quote.id for quote in against])
        run(connection, "conflict_insert", memory=memory_id, others=others)
    return Written(
        memory_id,
        new.tier,
        "stored",
        superseded=superseded,
        similar=without(alike.duplicates, superseded),
        conflicting=against,
        notes=(*notes, *more, *warnings(doubtful=doubtful)),
    )


def by_a_person(connection: Connection, new: NewMemory, key: bytes) -> Any:
    """Return the core fact of this text that a person removed or edited since, unless it is a person who writes."""
    found = fetch(connection, "core_settled", namespace=new.namespace, identity=key)
    return found[0] if found else None


def insert(
    connection: Connection,
    new: NewMemory,
    author: Author,
    shelf: int,
    goal: int,
    key: bytes,
    words: Indexed,
    *,
    doubtful: bool,
    now: float,
) -> int:
    """Add the row and return its id."""
    trust = INITIAL_TRUST[new.tier]
    importance = 1.0 if new.tier == "core" else new.importance
    life = Life(new.tier, importance, trust, 0.0, 0, 1.0, now)
    keys = placed(connection, life)
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
    return int(next_id["id"])


def goal_of(connection: Connection, new: NewMemory, *, now: float) -> tuple[int, tuple[str, ...]]:
    """Return the number of the memory's goal, 0 without one; a strategic memory opens it."""
    if not new.goal_id or new.tier == "core":
        return 0, ()
    goal = named_goal(connection, new.namespace, new.goal_id)
    closed = goal["closed_at"] is not None
    if new.tier == "strategic" and (closed or goal["opened_at"] is None):
        run(connection, "goal_open", id=goal["id"], now=now)
        return goal["id"], (f"goal {new.goal_id!r} was closed and is open again",) if closed else ()
    return goal["id"], (f"goal {new.goal_id!r} is closed",) if closed else ()


def neighbourhood(connection: Connection, new: NewMemory, shelf: int) -> tuple[int, int]:
    """Return the rows of the search index in which a new memory's like is looked for: main memory."""
    if not new.branch:
        return rows_of(shelf)
    found = fetch(connection, "shelf", namespace=new.namespace, state="active", branch="")
    return rows_of(found[0]["id"]) if found else (0, 0)


def known(connection: Connection, row: Any, new: NewMemory, settings: Settings, *, now: float) -> Written:
    """Answer a text that is there already: bring it back, complete it, or make it firmer, as the write asks."""
    if row["state"] == "quarantined":
        return Written(row["id"], row["tier"], "quarantined")
    if row["tier"] == "core":
        if row["state"] != "active":
            return Written(row["id"], "core", "removed")
        return Written(row["id"], "core", "known", notes=kept_as_it_was(row, new, 0))
    shelf = shelf_id(connection, new.namespace, "active", new.branch)
    if new.tier == "core":
        rivals = rivals_of(connection, shelf, row["subject"] or new.subject, "core", but=row["id"])
        if rivals.core:
            return refused(rivals.core[0])
    archived = row["state"] != "active"
    if archived:
        move(connection, row, shelf, now=now, cause="agent", reason="written again")
    goal, notes = goal_of(connection, new, now=now)
    annotate(connection, row, new, goal)
    firmer = RANK[new.tier] < RANK[row["tier"]]
    if firmer:
        promote(connection, row, new.tier, settings, now=now)
    if not archived and not firmer:
        keep(connection, row, now=now)
    notes = (*notes, *kept_as_it_was(row, new, goal), *warnings(doubtful=suspect(new)))
    status: Status = "restored" if archived else "promoted" if firmer else "known"
    return replaced(connection, row, new, new.tier if firmer else row["tier"], status, notes, now=now)


def replaced(
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
    shelf = shelf_id(connection, new.namespace, "active", new.branch)
    rivals = rivals_of(connection, shelf, row["subject"] or new.subject, tier, but=row["id"])
    weaker = () if status == "known" and row["subject"] else rivals.weaker
    superseded, more = supersede(connection, row["id"], replace(new, tier=tier), weaker, now=now)
    conflicting = tuple(quote(rival) for rival in rivals.firmer)
    return Written(row["id"], tier, status, superseded=superseded, conflicting=conflicting, notes=(*notes, *more))


def promote(connection: Connection, row: Any, tier: Tier, settings: Settings, *, now: float) -> None:
    """Make a memory firmer: its votes fold from the higher tier's trust, and core is beyond them."""
    initial = max(row["initial_trust"], INITIAL_TRUST[tier])
    run(connection, "initial_trust", id=row["id"], initial_trust=initial)
    if tier == "core":
        life = replace(Life.of(row), tier=tier, trust=1.0, importance=1.0)
        retier(connection, row, life, now=now, cause="written")
        return
    outcomes = [each["outcome"] for each in votes.standing(connection, row["id"])]
    life = replace(Life.of(row), tier=tier, trust=votes.folded(initial, outcomes, settings))
    retier(connection, row, life, now=now, cause="written")


def refused(core: Any) -> Written:
    """Answer a core fact whose subject has one already."""
    return Written(core["id"], "core", "refused", conflicting=(quote(core),))


def conflicting(alike: Similar, rivals: Rivals, superseded: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return what stands against a new memory: firmer ones of its subject, and what it seems to contradict."""
    quotes = [*(quote(row) for row in rivals.firmer), *alike.contradicted]
    return without(tuple({each.id: each for each in quotes}.values()), superseded)


def without(quotes: tuple[Quote, ...], others: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the quotes whose memories are not among the others."""
    ids = {other.id for other in others}
    return tuple(each for each in quotes if each.id not in ids)


def warnings(*, doubtful: bool) -> tuple[str, ...]:
    """Return what the writer should know of the text it wrote."""
    return ("the text reads like an instruction: it is kept as data and marked so",) if doubtful else ()
