"""The ledger of what a person changes, and the earlier versions of memories that it names: what `undo` reads."""

import json
from typing import Any, Literal

from firmmem.memory.rows.shelves import ensure_shelf
from firmmem.store.statements import Connection, fetch, run

Kind = Literal["added", "edited", "voted", "goal", "proposal"]


def note_change(
    connection: Connection,
    kind: Kind,
    *,
    memory: int | None = None,
    version: int | None = None,
    vote: int | None = None,
    goal: int | None = None,
    proposal: int | None = None,
    was: dict[str, Any] | None = None,
    now: float,
) -> None:
    """Add what a person changes to the ledger; what an agent does is not a person's action and is not in it."""
    if connection.acting is not None:
        run(
            connection,
            "change_note",
            run=connection.acting,
            kind=kind,
            memory=memory,
            version=version,
            vote=vote,
            goal=goal,
            proposal=proposal,
            was=json.dumps(was or {}, ensure_ascii=False),
            now=now,
        )


def keep_version(connection: Connection, row: Any, *, now: float) -> int:
    """Keep a memory as it is, as history that its edited form supersedes; note the edit and return the version's id."""
    [space] = fetch(connection, "namespace", shelf=row["shelf"])
    [next_id] = fetch(connection, "memory_next_id")
    shelf = ensure_shelf(connection, space["namespace"], "superseded", row["branch"])
    version = int(next_id["id"])
    run(connection, "version_insert", id=version, of=row["id"], shelf=shelf, now=now)
    note_change(connection, "edited", memory=row["id"], version=version, was={"subject": row["subject"]}, now=now)
    return version


def note_goal(connection: Connection, goal: Any, *, now: float) -> None:
    """Note that a person is about to open or close a goal."""
    was = {"opened_at": goal["opened_at"], "closed_at": goal["closed_at"]}
    note_change(connection, "goal", goal=goal["id"], was=was, now=now)
