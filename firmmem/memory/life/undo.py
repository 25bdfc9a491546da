"""Undo: a run of the periodic work is taken back, each memory to where and what it was."""

from dataclasses import dataclass, replace
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.chunks import take_while_brief
from firmmem.memory.rows.moves import note_move, write_tier
from firmmem.memory.rows.ranking_keys import CHUNK, Life
from firmmem.store.statements import Connection, fetch, run

NEWEST = 2**62  # above every id
CAUSE = "undone"


def require_undoable(connection: Connection, run_id: int) -> Any:
    """Return a run that can be taken back.

    Raises:
        InvalidArgumentError: There is none of this number, it still goes on, or what it did is gone for good.
    """
    rows = fetch(connection, "run", id=run_id)
    if not rows:
        raise InvalidArgumentError(f"There is no run {run_id} that changed anything: see firmmem runs.")
    if rows[0]["ended_at"] is None and fetch(connection, "job", name=rows[0]["job"])[0]["run"] == run_id:
        raise InvalidArgumentError(f"Run {run_id} ({rows[0]['job']}) is under way: wait until it ends.")
    if rows[0]["job"] == "purge":
        raise InvalidArgumentError(f"Run {run_id} deleted memories for good: only a backup has them.")
    return rows[0]


@dataclass
class Undoing:
    """Where the taking back of one run has come: its moves, the last first."""

    run_id: int
    before: int = NEWEST

    def chunk(self, connection: Connection, *, now: float) -> tuple[int, list[str], bool]:
        """Take the next moves back, in a transaction; return how many, what stays and why, and whether more are left.

        A memory that moved again since stays where it is, as does one whose place another memory has taken.
        """
        rows = fetch(connection, "run_moves", run=self.run_id, before=self.before, chunk=CHUNK)
        lines, count = [], 0
        for row in take_while_brief(rows):
            self.before = row["id"]
            obstacle = obstacle_to(connection, row)
            if obstacle:
                lines.append(f"#{row['memory']} stays as it is: {obstacle}")
            else:
                take_back(connection, row, now=now)
                count += 1
        more = bool(rows) and (len(rows) == CHUNK or self.before != rows[-1]["id"])
        if not more:
            run(connection, "run_undo", id=self.run_id, now=now)
        return count, lines, more


def obstacle_to(connection: Connection, row: Any) -> str:
    """Return why a move can't be taken back, or nothing."""
    if not row["is_last"] or not row["stands"]:
        return "it moved again since"
    if row["from_shelf"] == row["to_shelf"] or not row["subject"]:
        return ""
    rivals = fetch(connection, "memory_by_subject", shelf=row["from_shelf"], subject=row["subject"])
    return f"#{rivals[0]['id']} is about {row['subject']!r} now" if rivals else ""


def take_back(connection: Connection, row: Any, *, now: float) -> None:
    """Put one memory back where it was, in the tier it had."""
    reason = f"run {row['run']}"
    if row["from_shelf"] != row["to_shelf"]:
        note_move(connection, row["memory"], shelf=row["from_shelf"], now=now, cause=CAUSE, reason=reason)
        run(
            connection,
            "move_back",
            id=row["memory"],
            shelf=row["from_shelf"],
            was_at=row["was_at"],
            was_cause=row["was_cause"],
            was_reason=row["was_reason"],
        )
    if row["from_tier"] != row["to_tier"]:
        [memory] = fetch(connection, "memory", id=row["memory"])
        life = replace(Life.of(memory), tier=row["from_tier"])
        write_tier(connection, memory, life, now=now, cause=CAUSE, reason=reason)
