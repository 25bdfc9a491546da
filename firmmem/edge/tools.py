"""The six tools, one short function each: what they take and say. How they reach a client is the server's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from firmmem.contract import TIERS, NewMemory, Outcome, Question, Tier
from firmmem.dates.moments import parse_span
from firmmem.edge.caller import Call
from firmmem.memory.hand.waiting import count_inbox
from firmmem.memory.recall.recall import recall
from firmmem.memory.trust.feedback import give_feedback
from firmmem.memory.write.archive import archive_memories
from firmmem.memory.write.proposals import offer_fact
from firmmem.memory.write.write import write_memory
from firmmem.render import replies

Namespace = Annotated[str, Field(description="Leave empty for the default.")]
Tags = Annotated[Sequence[str], Field(description="Short labels.")]
Subject = Annotated[
    str,
    Field(
        description="What it is about, such as user.timezone; recall shows it in {}. A new memory supersedes the old."
    ),
]
Importance = Annotated[float, Field(ge=0, le=1, description="How much it matters; more fades slower.")]
Supersedes = Annotated[Sequence[int], Field(description="Ids of memories that this one replaces.")]
Branch = Annotated[str, Field(description="Line of thought, a guess apart from main memory until merged.")]
Ids = Annotated[Sequence[int], Field(description="Ids as recall shows them.")]


async def firmmem_write_core_fact(
    call: Call,
    fact: Annotated[str, Field(description="One statement that stays true.")],
    subject: Annotated[str, Field(description="What it is about, such as user.name; has one core fact at most.")] = "",
    tags: Tags = (),
    namespace: Namespace = "",
) -> str:
    """Add a core fact: who the user is and what never changes. A change of one waits for a person.

    What serves a goal is strategic memory; everything else is event memory.
    """
    new = NewMemory(fact, "core", call.app.namespace(namespace), subject=subject, tags=tuple(tags))
    return await store_memory(call, new)


async def firmmem_write_strategic_memory(
    call: Call,
    summary: Annotated[str, Field(description="One statement, in your own words.")],
    goal_id: Annotated[str, Field(description="Short name of the goal it serves; opened by its first memory.")],
    subject: Subject = "",
    tags: Tags = (),
    importance: Importance = 0.5,
    supersedes: Supersedes = (),
    namespace: Namespace = "",
) -> str:
    """Remember what serves a goal that lasts for weeks or months: decisions, plans, constraints.

    What never changes is a core fact; everything else is event memory.
    """
    new = NewMemory(
        summary,
        "strategic",
        call.app.namespace(namespace),
        goal_id=goal_id,
        subject=subject,
        tags=tuple(tags),
        importance=importance,
        supersedes=tuple(supersedes),
    )
    return await store_memory(call, new)


async def firmmem_write_event_memory(
    call: Call,
    summary: Annotated[str, Field(description="One statement, in your own words.")],
    verified: Annotated[bool, Field(description="True only for what was checked; else a draft that fades.")] = False,
    goal_id: Annotated[str, Field(description="Goal it serves, if any.")] = "",
    subject: Subject = "",
    tags: Tags = (),
    importance: Importance = 0.5,
    supersedes: Supersedes = (),
    branch: Branch = "",
    namespace: Namespace = "",
) -> str:
    """Remember everything else: what happened, was found or was said, as a summary, never raw chat.

    What never changes is a core fact; what serves a goal for weeks is strategic memory.
    """
    new = NewMemory(
        summary,
        "validated" if verified else "draft",
        call.app.namespace(namespace),
        branch=branch,
        goal_id=goal_id,
        subject=subject,
        tags=tuple(tags),
        importance=importance,
        supersedes=tuple(supersedes),
    )
    return await store_memory(call, new)


async def firmmem_recall_memory(
    call: Call,
    query: Annotated[str, Field(description="Words or a question; empty shows what matters now.")] = "",
    goal_id: Annotated[str, Field(description="Prefer memories of this goal.")] = "",
    tags: Annotated[Sequence[str], Field(description="Only memories with one of these.")] = (),
    tiers: Annotated[
        Sequence[str],
        Field(description="Only these of core, strategic, validated, draft; empty is all."),
    ] = (),
    limit: Annotated[
        int, Field(ge=0, le=100, description="Most memories to show; 0 is 10 with a query, else what the budget holds.")
    ] = 0,
    token_budget: Annotated[int, Field(ge=50, le=20000, description="Most tokens of the reply.")] = 1500,
    since: Annotated[str, Field(description="Written on or after, such as 2026-01-31 or 7 days ago.")] = "",
    until: Annotated[str, Field(description="Written on or before.")] = "",
    branch: Annotated[str, Field(description="Show this line of thought too.")] = "",
    include_archived: Annotated[bool, Field(description="Search the archive and history too.")] = False,
    explain: Annotated[bool, Field(description="Show every factor of each score.")] = False,
    namespace: Namespace = "",
) -> str:
    """Find memories, core facts first, then best first: id, tier, date, trust, score, tags, {subject}, summary.

    Without a query: core facts, then what matters now. Call it at the start of a session and before answering from
    memory.
    """
    app = call.app
    database = await app.database()
    now = app.clock()
    earliest, latest = parse_span(since, until, now=now)
    chosen: tuple[Tier, ...] = tuple(tier for tier in TIERS if tier in tiers or not tiers)
    question = Question(
        app.namespace(namespace),
        query=query.strip(),
        goal_id=goal_id,
        tags=tuple(tags),
        tiers=chosen,
        limit=limit,
        token_budget=token_budget,
        since=earliest,
        until=latest,
        branch=branch,
        include_archived=include_archived,
        explain=explain,
        author=call.author,
    )
    if app.reviews:
        await app.reviews.settled()
    result = await recall(database, question, meaning=app.meaning, now=now)
    if app.is_first_recall(question.namespace, call.author, now=now):
        waiting = await database.read(count_inbox, question.namespace)
        result = replace(result, notes=(*result.notes, *inbox_note(waiting)))
    if app.reviews:
        app.reviews.note(question, result, now=now)
        app.reviews.note_session(question.namespace, call.author, now=now)
    return replies.render_recalled(result, question, prior_strength=database.settings.prior_strength, now=now)


def inbox_note(waiting: int) -> tuple[str, ...]:
    """Return what a session is told once of what waits for a person."""
    if not waiting:
        return ()
    things = "1 thing waits" if waiting == 1 else f"{waiting} things wait"
    return (f"{things} for the user to decide: they can run `firmmem inbox` (tell them once)",)


async def firmmem_memory_feedback(
    call: Call,
    outcome: Annotated[Outcome, Field(description="How it turned out.")],
    memory_ids: Ids = (),
    branch: Annotated[str, Field(description="With outcome verified: merge this line of thought.")] = "",
    note: Annotated[str, Field(description="Why, in a few words.")] = "",
    namespace: Namespace = "",
) -> str:
    """Say whether memories proved right (positive), wrong (negative) or were checked (verified).

    Trust moves with it; verified makes a draft validated.
    """
    app = call.app
    result = await give_feedback(
        await app.database(),
        memory_ids,
        outcome,
        call.author,
        namespace=app.namespace(namespace),
        branch=branch,
        note=note,
        now=app.clock(),
    )
    return replies.render_changed(result, by="memory_ids, or a branch to merge")


async def firmmem_archive_memory(
    call: Call,
    memory_ids: Ids = (),
    goal_id: Annotated[str, Field(description="Close this goal and archive its memories.")] = "",
    branch: Annotated[str, Field(description="Drop this line of thought.")] = "",
    reason: Annotated[str, Field(description="Why, in a few words.")] = "",
    restore: Annotated[bool, Field(description="Bring back instead.")] = False,
    namespace: Namespace = "",
) -> str:
    """Put memories away, by id, by goal or by branch; nothing is deleted and restore=true brings them back.

    Core facts stay: only a person removes them.
    """
    app = call.app
    result = await archive_memories(
        await app.database(),
        memory_ids,
        namespace=app.namespace(namespace),
        goal_id=goal_id,
        branch=branch,
        reason=reason,
        restore=restore,
        now=app.clock(),
    )
    return replies.render_changed(result, by="memory_ids, goal_id or branch")


async def store_memory(call: Call, new: NewMemory) -> str:
    """Write a memory and say what became of it."""
    app = call.app
    database = await app.database()
    if new.tier == "core" and database.settings.core_write == "off":
        return "refused: this server's settings leave core facts to a person (FIRMMEM_CORE_WRITE=off)."
    if new.tier == "core" and app.meaning:
        near = await app.meaning.near_core_facts(database, new.summary, new.namespace)
        new = replace(new, near=near)
    result = await (offer_fact if new.tier == "core" else write_memory)(database, new, call.author, now=app.clock())
    if app.meaning and result.status == "stored":
        app.meaning.wrote()
    return replies.render_written(result)


TOOLS: tuple[tuple[Callable[..., Any], str], ...] = (
    (firmmem_write_core_fact, "Write a core fact"),
    (firmmem_write_strategic_memory, "Write a strategic memory"),
    (firmmem_write_event_memory, "Write an event memory"),
    (firmmem_recall_memory, "Recall memories"),
    (firmmem_memory_feedback, "Give feedback on memories"),
    (firmmem_archive_memory, "Archive or restore memories"),
)
