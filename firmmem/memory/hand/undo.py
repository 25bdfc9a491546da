"""Undo by a person's hand: a run is taken back, what was edited or voted first, then what was moved."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.undo import CAUSE, Undoing
from firmmem.memory.rows.changes import keep_version
from firmmem.memory.rows.moves import write_tier
from firmmem.memory.rows.ranking_keys import Life, save_life
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.memory.trust.votes import counting_votes, fold_votes, list_votes, undo_consolidation
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings


def find_last_action(connection: Connection) -> int:
    """Return the run of what a person did last and has not taken back.

    Raises:
        InvalidArgumentError: There is none.
    """
    found = fetch(connection, "action_last")
    if not found:
        raise InvalidArgumentError("There is nothing that a person did to take back: `firmmem runs` shows every run.")
    return int(found[0]["id"])


@dataclass
class TakingBack:
    """Where the taking back of one run has come; call `chunk` until nothing is left."""

    run_id: int
    settings: Settings
    changes_done: bool = False
    moves: Undoing = field(init=False)

    def __post_init__(self) -> None:
        self.moves = Undoing(self.run_id)

    def chunk(self, connection: Connection, *, now: float) -> tuple[int, list[str], bool]:
        """Take the next part back, in a transaction; return how many, what stays and why, and whether more is left."""
        if self.changes_done:
            return self.moves.chunk(connection, now=now)
        self.changes_done = True
        lines, count = [], 0
        for row in fetch(connection, "run_changes", run=self.run_id):
            obstacle = take_back_change(connection, row, self.settings, now=now)
            if obstacle:
                lines.append(obstacle)
            else:
                count += 1
        return count, lines, True


def take_back_change(connection: Connection, row: Any, settings: Settings, *, now: float) -> str:
    """Take one change back, in a transaction; return what stays and why, or nothing."""
    match row["kind"]:
        case "goal":
            run(connection, "goal_put_back", id=row["goal"], **json.loads(row["was"]))
            return ""
        case "proposal":
            was = json.loads(row["was"])
            run(
                connection,
                "proposal_decide",
                id=row["proposal"],
                state=was["state"],
                memory=was["memory"],
                now=was["decided_at"],
            )
            return ""
    [memory] = fetch(connection, "memory_with_place", id=row["memory"])
    obstacle = obstacle_to_change(connection, row, memory)
    if obstacle:
        return f"#{memory['id']} stays as it is: {obstacle}"
    match row["kind"]:
        case "added":
            put_away(connection, memory, row["run"], now=now)
        case "edited":
            put_version_back(connection, memory, row, settings, now=now)
        case _:
            take_vote_back(connection, memory, row, settings, now=now)
    return ""


def obstacle_to_change(connection: Connection, row: Any, memory: Any) -> str:
    """Return why a change of a memory can't be taken back, or nothing."""
    if memory["state"] == "erased":
        return "it was erased"
    if row["kind"] == "voted":
        return (
            ""
            if any(vote["id"] == row["vote"] and vote["counts"] for vote in votes_on(connection, memory))
            else ("that vote counts no longer")
        )
    if row["edited_since"]:
        return "it was edited again since: take that back first"
    if row["kind"] == "added":
        return "" if memory["state"] == "active" else f"it is {memory['state']} already"
    [version] = fetch(connection, "memory_with_place", id=row["version"])
    subject = json.loads(row["was"]).get("subject", "")
    twins = fetch(connection, "memory_by_identity", identity=version["identity"])
    if memory["superseded_by"] is None and any(twin["id"] != memory["id"] for twin in twins):
        return f"#{twins[0]['id']} says the same now"
    rivals = fetch(connection, "memory_by_subject", shelf=memory["shelf"], subject=subject) if subject else []
    others = [rival["id"] for rival in rivals if rival["id"] != memory["id"] and rival["tier"] == version["tier"]]
    return f"#{others[0]} is about {subject!r} now" if others and version["tier"] == "core" else ""


def put_away(connection: Connection, memory: Any, run_id: int, *, now: float) -> None:
    """Put away what was added: it was not there before, and nothing is deleted."""
    shelf = ensure_shelf(connection, memory["namespace"], "archived", memory["branch"])
    move_to_shelf(connection, memory, shelf, now=now, cause=CAUSE, reason=f"run {run_id}", run_id=run_id)


def put_version_back(connection: Connection, memory: Any, row: Any, settings: Settings, *, now: float) -> None:
    """Give a memory the text, the labels and the tier that it had; reviews and votes since then stay."""
    [version] = fetch(connection, "memory_with_place", id=row["version"])
    keep_version(connection, memory, now=now)
    life = replace(Life.of(memory), tier=version["tier"], importance=version["importance"])
    if memory["reviewed_at"] == row["at"]:
        life = replace(life, reviewed_at=version["reviewed_at"])
    outcomes = [vote["outcome"] for vote in counting_votes(connection, memory["id"])]
    core = version["tier"] == "core"
    life = replace(life, trust=1.0 if core else fold_votes(version["initial_trust"], outcomes, settings))
    columns = ("summary", "tags", "goal", "source", "suspect", "initial_trust", "created_at")
    if core:  # no other core fact may have the subject while this is one
        put_columns(connection, memory, version, columns, row)
    write_tier(connection, memory, life, now=now, cause=CAUSE, reason=f"run {row['run']}", run_id=row["run"])
    if not core:
        put_columns(connection, memory, version, columns, row)


def put_columns(connection: Connection, memory: Any, version: Any, columns: tuple[str, ...], row: Any) -> None:
    """Write what a version said into its memory."""
    run(
        connection,
        "edit",
        id=memory["id"],
        subject=json.loads(row["was"]).get("subject", ""),
        identity=version["identity"],
        words=version["words"],
        repeated=version["repeated"],
        length=version["length"],
        **{name: version[name] for name in columns},
    )


def take_vote_back(connection: Connection, memory: Any, row: Any, settings: Settings, *, now: float) -> None:
    """Let a person's vote count no longer; one of the same session that it replaced counts again."""
    votes = votes_on(connection, memory)
    [mine] = [vote for vote in votes if vote["id"] == row["vote"]]
    standing: dict[tuple[str, str], Any] = {}
    for vote in votes:
        if vote["id"] != mine["id"] and vote["revoked_at"] is None:
            standing.pop((vote["client"], vote["session"]), None)
            standing[vote["client"], vote["session"]] = vote
    before = Life.of(memory)
    outcomes = [vote["outcome"] for vote in sorted(standing.values(), key=lambda vote: int(vote["id"]))]
    after = replace(
        before,
        trust=before.trust if before.tier == "core" else fold_votes(memory["initial_trust"], outcomes, settings),
        consolidation=undo_consolidation(
            before.consolidation, mine["outcome"], settings.feedback_pos_delta, settings.feedback_neg_delta
        ),
    )
    run(
        connection,
        "revocation_insert",
        votes=json.dumps([mine["id"]]),
        now=now,
        reason=f"run {row['run']} undone",
        trust_before=before.trust,
        trust_after=after.trust,
    )
    save_life(connection, memory["id"], after)


def votes_on(connection: Connection, memory: Any) -> list[Any]:
    """Return every vote on a memory, oldest first."""
    return list_votes(connection, memory["id"])
