"""Injections: what was put before which agent, when, and the numbers that decided. An injection is no review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firmmem import scoring
from firmmem.contract import Author, RecalledMemory
from firmmem.store.statements import Connection, fetch, run


@dataclass(frozen=True)
class Choice:
    """A memory that was looked at, and why it was not given; '' where it was."""

    memory: RecalledMemory
    reason: str
    tokens: int


@dataclass(frozen=True)
class Injection:
    """What is about to be put before an agent: at which event, within `budget` tokens, by which gate.

    `strength`: how much age, trust and goal weighed in the scores. `lost`: what the agent was given before is no longer
    in its context. `asked`: it is asked to write what should last.
    """

    host: str
    event: str
    source: str
    budget: int
    gate: float
    strength: float
    choices: tuple[Choice, ...]
    lost: bool = False
    asked: bool = False


def given_memories(connection: Connection, namespace: str, author: Author) -> frozenset[int]:
    """Return the memories that a host's session was given and that are still in its context."""
    rows = fetch(
        connection, "injection_given", namespace=namespace, client=author.client, host_session=author.host_session
    )
    return frozenset(row["memory"] for row in rows)


def record_injection(connection: Connection, session: int, injection: Injection, *, now: float) -> None:
    """Note what is about to be given, what was looked at and not given, and why, in a transaction."""
    run(
        connection,
        "injection_insert",
        session=session,
        host=injection.host,
        event=injection.event,
        source=injection.source,
        at=now,
        budget=injection.budget,
        gate=injection.gate,
        strength=injection.strength,
        tokens=sum(choice.tokens for choice in injection.choices if not choice.reason),
        lost=injection.lost,
        asked=injection.asked,
    )
    [row] = fetch(connection, "injection_last")
    for place, choice in enumerate(injection.choices, 1):
        memory = choice.memory
        run(
            connection,
            "injected_insert",
            injection=row["id"],
            memory=memory.id,
            place=place,
            reason=choice.reason,
            tokens=choice.tokens,
            relevance=memory.relevance,
            rfm=memory.rfm,
            trust=memory.trust,
            alignment=memory.alignment,
            score=memory.score,
        )


def was_asked(connection: Connection, namespace: str, author: Author) -> bool:
    """Return whether a host's session was asked already to write what should last."""
    return bool(
        fetch(
            connection, "injection_asked", namespace=namespace, client=author.client, host_session=author.host_session
        )
    )


def prompts_since_write(connection: Connection, namespace: str, author: Author) -> int:
    """Return how many prompts a host's session has had since it wrote last."""
    [row] = fetch(
        connection,
        "prompts_since_write",
        namespace=namespace,
        client=author.client,
        host_session=author.host_session,
    )
    return int(row["prompts"])


def list_injections(connection: Connection, namespace: str, *, session: str = "", most: int = 50) -> list[Any]:
    """Return the newest injections of a namespace, or of one host's session, newest first."""
    return fetch(connection, "injections", namespace=namespace, session=session, most=most)


def injected_of(connection: Connection, injection: int) -> list[Any]:
    """Return the memories that were looked at for an injection, in their order."""
    return fetch(connection, "injected", injection=injection)


def shown_of(connection: Connection, memory: int) -> list[Any]:
    """Return the injections in which a memory was looked at, oldest first."""
    return fetch(connection, "injected_memory", memory=memory)


def agrees(connection: Connection, row: Any, injection: Any) -> str:
    """Return whether a memory's score at an injection has the same digits when it is computed again.

    The product is taken again from its factors, and trust is looked up in the ledger of votes as it was then.
    """
    score = scoring.final_score(row["rfm"], row["trust"], row["alignment"], row["relevance"], injection["strength"])
    if score != row["score"]:
        return f"{score:.6f}, which differs"
    until = fetch(connection, "trust_at", memory=row["memory"], at=injection["at"])
    if until and until[0]["trust"] != row["trust"]:
        return f"the same, by a trust that the ledger has as {until[0]['trust']:.6f} at that moment"
    return "the same"
