"""Archive and restore: memories are put away, never thrown away, one by one, by goal or by branch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.contract import Changed
from firmmem.memory.rows.changes import note_goal
from firmmem.memory.rows.shelves import ensure_shelf, find_goal, memories_on_shelf, move_to_shelf, normalise_label
from firmmem.memory.rows.supersede import find_living
from firmmem.memory.trust.feedback import clean_remark, find_named
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import count_memories

if TYPE_CHECKING:
    from firmmem.store.database import Database


async def archive_memories(
    database: Database,
    memory_ids: Sequence[int] = (),
    *,
    namespace: str,
    goal_id: str = "",
    branch: str = "",
    reason: str = "",
    restore: bool = False,
    now: float,
) -> Changed:
    """Put memories away, or bring them back: by id, a whole goal, which closes, or a whole branch.

    Raises:
        InvalidTextError: A name or the reason can't be stored as it is.
        RefusedTextError: The reason is a transcript, too long, or holds a secret.
        UnavailableError: The file can't be written.
    """
    return await database.write(
        archive_in_transaction,
        memory_ids,
        namespace=normalise_label(namespace),
        goal_id=normalise_label(goal_id),
        branch=normalise_label(branch),
        reason=clean_remark(reason, database.settings),
        restore=restore,
        now=now,
    )


def archive_in_transaction(
    connection: Connection,
    memory_ids: Sequence[int] = (),
    *,
    namespace: str,
    goal_id: str = "",
    branch: str = "",
    reason: str = "",
    restore: bool = False,
    now: float,
) -> Changed:
    """Put away what is named, or bring it back, in a transaction."""
    walk = Walk(connection, RESTORE if restore else ARCHIVE, namespace, reason, now)
    done = [walk.one_by_one(memory_ids)] if memory_ids else []
    if goal_id:
        done.append(walk.goal(goal_id))
    if branch and not memory_ids:
        done.append(walk.branch(branch))
    return Changed(tuple(line for each in done for line in each.lines), sum(each.done for each in done))


@dataclass(frozen=True)
class Verb:
    """What may be done to memories: from which state into which, and how it is told."""

    source: str
    target: str
    done: str
    to_open_goal: str
    to_closed_goal: str


ARCHIVE = Verb("active", "archived", "archived", "closed", "was already closed")
RESTORE = Verb("archived", "active", "restored", "was open", "open again")


@dataclass(frozen=True)
class Walk:
    """A verb done to the memories of a namespace, one by one, by goal or by branch."""

    connection: Connection
    verb: Verb
    namespace: str
    reason: str
    now: float

    def one_by_one(self, memory_ids: Sequence[int]) -> Changed:
        """Move memories, each after what the one before has changed."""
        lines: list[str] = []
        done = 0
        for memory_id, row in find_named(self.connection, memory_ids, namespace=self.namespace, branch="").items():
            obstacle = self._obstacle(row)
            lines.append(f"#{memory_id} {obstacle or self.verb.done}{self._against(row, obstacle)}")
            done += 0 if obstacle else self._move([row], "agent")
        return Changed(tuple(lines), done)

    def goal(self, name: str) -> Changed:
        """Close a goal and archive its memories, or open it again with those that its closing archived."""
        goal = find_goal(self.connection, self.namespace, name)
        if goal is None:
            return Changed((f"goal {name!r} not found",), 0)
        closed = goal["closed_at"] is not None
        state = self.verb.source
        rows = fetch(self.connection, "memory_by_goal", namespace=self.namespace, state=state, goal=goal["id"])
        count, obstacles = self._together(rows, "goal")
        if self.verb is RESTORE or not closed:
            note_goal(self.connection, goal, now=self.now)
        if self.verb is RESTORE:
            run(self.connection, "goal_open", id=goal["id"], now=self.now)
        elif not closed:
            run(self.connection, "goal_close", id=goal["id"], now=self.now)
        told = f"goal {name!r} {self.verb.to_closed_goal if closed else self.verb.to_open_goal}"
        nothing_left = self.verb is ARCHIVE and closed and not count
        return Changed(
            (told if nothing_left else f"{told}: {count_memories(count)} {self.verb.done}", *obstacles), count
        )

    def branch(self, name: str) -> Changed:
        """Drop a branch, or bring back what was dropped with it."""
        rows = memories_on_shelf(self.connection, self.namespace, self.verb.source, name)
        count, obstacles = self._together(rows, "branch")
        if self.verb is ARCHIVE and not count:
            return Changed((f"branch {name!r} holds no memories",), 0)
        dropped = " dropped" if self.verb is ARCHIVE else ""
        return Changed((f"branch {name!r}{dropped}: {count_memories(count)} {self.verb.done}", *obstacles), count)

    def _together(self, rows: Iterable[Any], cause: str) -> tuple[int, list[str]]:
        """Move memories as one, back only those that left as one; return how many, and a line on each that can't be."""
        chosen = [row for row in rows if self.verb is ARCHIVE or row["state_cause"] == cause]
        obstacles = {row["id"]: self._obstacle(row) for row in chosen}
        count = self._move([row for row in chosen if not obstacles[row["id"]]], cause)
        return count, [f"#{memory_id} {obstacle}" for memory_id, obstacle in obstacles.items() if obstacle]

    def _move(self, rows: Sequence[Any], cause: str) -> int:
        """Move memories within their branches; return how many. One that is back is back by the agent's wish."""
        cause, reason = (cause, self.reason) if self.verb is ARCHIVE else ("agent", self.reason or "restored")
        for row in rows:
            shelf = ensure_shelf(self.connection, self.namespace, self.verb.target, row["branch"])
            move_to_shelf(self.connection, row, shelf, now=self.now, cause=cause, reason=reason)
        return len(rows)

    def _against(self, row: Any, obstacle: str) -> str:
        """Return what a memory comes back against: what had superseded it and is in use; both are marked from now."""
        if obstacle or self.verb is ARCHIVE or not row["superseded_by"]:
            return ""
        living = find_living(self.connection, row, self.namespace)
        if living is None or living["state"] != "active" or living["id"] == row["id"]:
            return ""
        run(self.connection, "conflict_insert", memory=row["id"], others=json.dumps([living["id"]]))
        return f"; #{living['id']} had superseded it and is in use too: they are in conflict, ask the user"

    def _obstacle(self, row: Any) -> str:
        if self.verb is ARCHIVE:
            return obstacle_to_archiving(row)
        return obstacle_to_restoring(self.connection, row, self.namespace)


def obstacle_to_archiving(row: Any) -> str:
    """Return why a memory can't be archived, or nothing."""
    if row is None:
        return "not found"
    if row["tier"] == "core":
        return "is a core fact: only a person removes it (firmmem core remove)"
    if row["state"] == "archived":
        return "is already archived"
    if row["state"] == "erased":
        return "was erased"
    if row["state"] == "superseded":
        return f"is already history, superseded by #{row['superseded_by']}"
    if row["state"] == "quarantined":
        return "is in quarantine: it is not recalled"
    return ""


def obstacle_to_restoring(connection: Connection, row: Any, namespace: str) -> str:
    """Return why a memory can't be restored, or nothing."""
    if row is None:
        return "not found"
    if row["state"] == "active":
        return "is not archived"
    if row["state"] == "erased":
        return "was erased"
    if row["state"] == "quarantined":
        return "is in quarantine: a person releases it (firmmem release)"
    if row["tier"] == "core":
        return "is a core fact: only a person restores it (firmmem core add)"
    twins = fetch(connection, "memory_by_identity", identity=row["identity"])
    if row["superseded_by"] and twins:
        return f"is #{twins[0]['id']} now, which says the same"
    shelf = ensure_shelf(connection, namespace, "active", row["branch"])
    rivals = fetch(connection, "memory_by_subject", shelf=shelf, subject=row["subject"]) if row["subject"] else []
    if rivals:
        return f"is about {row['subject']!r}, as #{rivals[0]['id']} is: archive that one first"
    return ""
