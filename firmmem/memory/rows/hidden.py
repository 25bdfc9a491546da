"""Branches that no caller can name: what lies there is not seen until its import ends."""

from typing import Any

from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.store.statements import Connection, fetch

WRITTEN_TOO = "while it was being imported"  # why a memory was let be seen before its import ended
HIDDEN = "\x1farriving"  # no label has such a character


def hidden_branch(run_id: int, branch: str) -> str:
    """Return the name of the branch in which an import lies until its end."""
    return f"{HIDDEN} {run_id}\x1f{branch}"


def true_branch(branch: str) -> str:
    """Return the branch that a memory belongs to, hidden or not."""
    return branch.rpartition("\x1f")[2] if branch.startswith(HIDDEN) else branch


def show_written(connection: Connection, row: Any, namespace: str, *, now: float) -> Any:
    """Let a memory be seen that is written while an import holds it hidden, and return its row."""
    if not row["branch"].startswith(HIDDEN):
        return row
    shelf = ensure_shelf(connection, namespace, row["state"], true_branch(row["branch"]))
    move_to_shelf(connection, row, shelf, now=now, cause="written", reason=WRITTEN_TOO)
    return fetch(connection, "memory_by_identity", identity=row["identity"])[0]
