"""Archive and restore: memories are put away, never thrown away, one by one, by goal or by branch."""

from collections.abc import Iterable, Sequence
from typing import Any

from firmmem.contract import Changed
from firmmem.database import Connection, Database, fetch, run
from firmmem.memory.feedback import named, remark
from firmmem.memory.shelves import goal_row, label, move, on_shelf, shelf_id


async def archive(
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
        bring_back if restore else put_away,
        memory_ids,
        namespace=label(namespace),
        goal_id=label(goal_id),
        branch=label(branch),
        reason=remark(reason, database.settings),
        now=now,
    )


def put_away(
    connection: Connection,
    memory_ids: Sequence[int],
    *,
    namespace: str,
    goal_id: str,
    branch: str,
    reason: str,
    now: float,
) -> Changed:
    """Archive what is named, in a transaction."""
    lines: list[str] = []
    done = 0
    rows = named(connection, memory_ids, namespace=namespace, branch="") if memory_ids else {}
    for memory_id, row in rows.items():
        obstacle = obstacle_to_archiving(row)
        lines.append(f"#{memory_id} {obstacle or 'archived'}")
        if not obstacle:
            done += put(connection, [row], namespace, now=now, cause="agent", reason=reason)
    if goal_id:
        done += closed(connection, goal_id, namespace, lines, reason=reason, now=now)
    if branch and not memory_ids:
        drafts = on_shelf(connection, namespace, "active", branch)
        count = put(connection, drafts, namespace, now=now, cause="branch", reason=reason)
        lines.append(f"branch {branch!r} dropped: {counted(count)} archived" if count else holds_nothing(branch))
        done += count
    return Changed(tuple(lines), done)


def put(connection: Connection, rows: Iterable[Any], namespace: str, *, now: float, cause: str, reason: str) -> int:
    """Move memories to the archive of their branch; return how many."""
    count = 0
    for row in rows:
        shelf = shelf_id(connection, namespace, "archived", row["branch"])
        move(connection, row, shelf, now=now, cause=cause, reason=reason)
        count += 1
    return count


def closed(connection: Connection, goal_id: str, namespace: str, lines: list[str], *, reason: str, now: float) -> int:
    """Close a goal and archive its memories; return how many."""
    goal = goal_row(connection, namespace, goal_id)
    if goal is None:
        lines.append(f"goal {goal_id!r} not found")
        return 0
    rows = fetch(connection, "memory_by_goal", namespace=namespace, state="active", goal=goal["id"])
    count = put(connection, rows, namespace, now=now, cause="goal", reason=reason)
    if goal["closed_at"] is not None:
        lines.append(f"goal {goal_id!r} was already closed" + (f": {counted(count)} archived" if count else ""))
        return count
    run(connection, "goal_close", id=goal["id"], now=now)
    lines.append(f"goal {goal_id!r} closed: {counted(count)} archived")
    return count


def obstacle_to_archiving(row: Any) -> str:
    """Return why a memory can't be archived, or nothing."""
    if row is None:
        return "not found"
    if row["tier"] == "core":
        return "is a core fact: only a person removes it (firmmem core remove)"
    if row["state"] == "archived":
        return "is already archived"
    if row["state"] == "superseded":
        return f"is already history, superseded by #{row['superseded_by']}"
    if row["state"] == "quarantined":
        return "is in quarantine: it is not recalled"
    return ""


def bring_back(
    connection: Connection,
    memory_ids: Sequence[int],
    *,
    namespace: str,
    goal_id: str,
    branch: str,
    reason: str,
    now: float,
) -> Changed:
    """Restore what is named, in a transaction."""
    lines: list[str] = []
    done = 0
    wanted = named(connection, memory_ids, namespace=namespace, branch="") if memory_ids else {}
    for memory_id, row in wanted.items():
        obstacle = obstacle_to_restoring(connection, row, namespace)
        lines.append(f"#{memory_id} {obstacle or 'restored'}")
        if not obstacle:
            done += take(connection, [row], namespace, now=now, reason=reason)
    if goal_id:
        done += reopened(connection, goal_id, namespace, lines, reason=reason, now=now)
    if branch and not memory_ids:
        away = on_shelf(connection, namespace, "archived", branch)
        rows = [row for row in away if row["state_cause"] == "branch"]
        count, obstacles = take_what_can_be(connection, rows, namespace, now=now, reason=reason)
        lines += [f"branch {branch!r}: {counted(count)} restored", *obstacles]
        done += count
    return Changed(tuple(lines), done)


def take(connection: Connection, rows: Iterable[Any], namespace: str, *, now: float, reason: str) -> int:
    """Move memories from the archive or from history back to where they are recalled; return how many."""
    count = 0
    for row in rows:
        shelf = shelf_id(connection, namespace, "active", row["branch"])
        move(connection, row, shelf, now=now, cause="agent", reason=reason or "restored")
        count += 1
    return count


def take_what_can_be(
    connection: Connection, rows: list[Any], namespace: str, *, now: float, reason: str
) -> tuple[int, list[str]]:
    """Restore several memories that were put away together; return how many, and a line on each that can't be."""
    obstacles = {row["id"]: obstacle_to_restoring(connection, row, namespace) for row in rows}
    count = take(connection, [row for row in rows if not obstacles[row["id"]]], namespace, now=now, reason=reason)
    return count, [f"#{memory_id} {obstacle}" for memory_id, obstacle in obstacles.items() if obstacle]


def reopened(connection: Connection, goal_id: str, namespace: str, lines: list[str], *, reason: str, now: float) -> int:
    """Open a closed goal again and restore what its closing archived; return how many."""
    goal = goal_row(connection, namespace, goal_id)
    if goal is None:
        lines.append(f"goal {goal_id!r} not found")
        return 0
    rows = fetch(connection, "memory_by_goal", namespace=namespace, state="archived", goal=goal["id"])
    retired = [row for row in rows if row["state_cause"] == "goal"]
    count, obstacles = take_what_can_be(connection, retired, namespace, now=now, reason=reason)
    run(connection, "goal_open", id=goal["id"], now=now)
    was = "was open" if goal["closed_at"] is None else "open again"
    lines += [f"goal {goal_id!r} {was}: {counted(count)} restored", *obstacles]
    return count


def obstacle_to_restoring(connection: Connection, row: Any, namespace: str) -> str:
    """Return why a memory can't be restored, or nothing."""
    if row is None:
        return "not found"
    if row["state"] == "active":
        return "is not archived"
    if row["state"] == "quarantined":
        return "is in quarantine: a person releases it (firmmem release)"
    if row["tier"] == "core":
        return "is a core fact: only a person restores it (firmmem core add)"
    twins = fetch(connection, "memory_by_identity", identity=row["identity"])
    if row["superseded_by"] and twins:
        return f"is #{twins[0]['id']} now, which says the same"
    shelf = shelf_id(connection, namespace, "active", row["branch"])
    rivals = fetch(connection, "memory_by_subject", shelf=shelf, subject=row["subject"]) if row["subject"] else []
    if rivals:
        return f"is about {row['subject']!r}, as #{rivals[0]['id']} is: archive that one first"
    return ""


def holds_nothing(branch: str) -> str:
    """Return how a branch without memories is told."""
    return f"branch {branch!r} holds no memories"


def counted(count: int) -> str:
    """Return a number of memories in words."""
    return "1 memory" if count == 1 else f"{count} memories"
