"""Undo: the moves of a run are taken back, each memory to where and what it was."""

import json
from dataclasses import dataclass, replace
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.chunks import take_while_brief
from firmmem.memory.rows.moves import note_move, write_tier
from firmmem.memory.rows.ranking_keys import CHUNK, Life
from firmmem.memory.rows.shelves import memory_identity
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
    held = fetch(connection, "job", name=rows[0]["job"])
    if rows[0]["ended_at"] is None and held and held[0]["run"] == run_id:
        raise InvalidArgumentError(f"Run {run_id} ({rows[0]['job']}) is under way: wait until it ends.")
    if rows[0]["job"] == "import" and rows[0]["undone_at"] is not None:
        raise InvalidArgumentError(f"Run {run_id} (import) is taken back already.")
    if rows[0]["job"] == "erase":
        raise InvalidArgumentError(f"Run {run_id} erased memories for good: nothing has them.")
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
    if row["from_shelf"] == row["to_shelf"]:
        return ""
    rivals = rivals_that_stay(connection, row)
    if rivals:
        return f"#{rivals[0]['id']} is about {row['subject']!r} now"
    place = former_place(connection, row)
    twins = fetch(connection, "memory_by_identity", identity=place["identity"])
    others = [twin["id"] for twin in twins if twin["id"] != row["memory"]]
    return f"#{others[0]} says the same now" if others and place["superseded_by"] is None else ""


def rivals_that_stay(connection: Connection, row: Any) -> list[Any]:
    """Return what is about the same subject where a memory was, but for what the same run moved there."""
    if not row["subject"]:
        return []
    rivals = fetch(connection, "memory_by_subject", shelf=row["from_shelf"], subject=row["subject"])
    ids = json.dumps([rival["id"] for rival in rivals])
    moved = fetch(connection, "run_moved", ids=ids, run=row["run"], shelf=row["from_shelf"])
    leaving = {each["memory"] for each in moved}
    return [rival for rival in rivals if rival["id"] not in leaving]


def former_place(connection: Connection, row: Any) -> dict[str, Any]:
    """Return where a move took a memory from, and what it was there: its identity, and what had superseded it."""
    [origin] = fetch(connection, "shelf_by_id", id=row["from_shelf"])
    [target] = fetch(connection, "shelf_by_id", id=row["to_shelf"])
    identity = row["identity"]
    if origin["branch"] != target["branch"]:
        identity = memory_identity(origin["namespace"], origin["branch"], row["summary"])
    was_history = origin["state"] == "superseded"
    return {
        "shelf": row["from_shelf"],
        "identity": identity,
        "superseded_by": row["was_superseded_by"] if was_history else None,
    }


def take_back(connection: Connection, row: Any, *, now: float) -> None:
    """Put one memory back where it was, in the tier it had."""
    reason = f"run {row['run']}"
    if row["from_shelf"] != row["to_shelf"]:
        note_move(connection, row["memory"], shelf=row["from_shelf"], now=now, cause=CAUSE, reason=reason)
        run(
            connection,
            "move_back",
            id=row["memory"],
            **former_place(connection, row),
            was_at=row["was_at"],
            was_cause=row["was_cause"],
            was_reason=row["was_reason"],
        )
    if row["from_tier"] != row["to_tier"]:
        [memory] = fetch(connection, "memory", id=row["memory"])
        life = replace(Life.of(memory), tier=row["from_tier"])
        write_tier(connection, memory, life, now=now, cause=CAUSE, reason=reason)
