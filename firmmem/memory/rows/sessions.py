"""Sessions: stretches of one client's work in one namespace, which memories, votes and injections belong to.

A session ends with the client's process, with its host's session, or with a gap in time. A server does not know what
its host calls the session, a hook does: the server joins the newest session of its client that a hook has begun and
no other process has joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.contract import Author
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings

HOUR = 3600.0
KEY_CAP = 200  # characters of what a host may call its session


@dataclass(frozen=True)
class Session:
    """One session: its row, and the key that votes and proposals name it by."""

    id: int
    key: str


def enter_session(connection: Connection, namespace: str, author: Author, settings: Settings, *, now: float) -> Session:
    """Return the session that a caller is in, begun if there is none, and note that it goes on; in a transaction."""
    if found := find_session(connection, namespace, author, settings, now=now):
        run(connection, "session_seen", id=found["id"], process=author.session, now=now)
        return Session(found["id"], found["key"])
    key = free_key(connection, namespace, author)
    run(
        connection,
        "session_insert",
        key=key,
        namespace=namespace,
        client=author.client,
        process=author.session,
        host_session=author.host_session,
        now=now,
    )
    [row] = fetch(connection, "session_by_key", namespace=namespace, client=author.client, key=key)
    return Session(row["id"], key)


def find_session(connection: Connection, namespace: str, author: Author, settings: Settings, *, now: float) -> Any:
    """Return the row of the session that a caller is in, or None where its last one has ended."""
    found = fetch(
        connection,
        "session_live",
        namespace=namespace,
        client=author.client,
        process=author.session,
        host_session=author.host_session,
        seen_since=now - settings.session_gap_hours * HOUR,
    )
    return found[0] if found else None


def end_sessions(connection: Connection, author: Author, *, now: float) -> None:
    """Note that the sessions of a process, or of a host's session, have ended, in a transaction."""
    run(connection, "session_end", process=author.session, host_session=author.host_session, now=now)


def free_key(connection: Connection, namespace: str, author: Author) -> str:
    """Return what names a new session: as its caller does, with a number where that name is taken."""
    said = (author.host_session or author.session)[:KEY_CAP]
    if said and not fetch(connection, "session_by_key", namespace=namespace, client=author.client, key=said):
        return said
    [row] = fetch(connection, "session_next_id")
    return f"{said or 'session'}-{row['id']}"
