"""Goals by a person's hand: which there are, and which strategic memories have none that is open."""

from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.changes import note_goal
from firmmem.memory.rows.shelves import ensure_goal, find_goal, normalise_label
from firmmem.memory.write.archive import archive_in_transaction
from firmmem.store.statements import Connection, fetch, run


def read_goals(connection: Connection, *, namespace: str) -> list[Any]:
    """Return a namespace's goals, open ones first, with how many memories serve each."""
    return fetch(connection, "goals", namespace=normalise_label(namespace))


def list_goalless(connection: Connection, *, namespace: str) -> list[Any]:
    """Return the strategic memories in use whose goal is closed, was never opened, or is not named."""
    return fetch(connection, "goalless", namespace=normalise_label(namespace))


def open_goal(connection: Connection, name: str, *, namespace: str, now: float) -> str:
    """Open a goal, in a transaction; return what became of it."""
    goal = ensure_goal(connection, normalise_label(namespace), stored_goal_name(name))
    if goal["closed_at"] is not None:
        return f"goal {goal['name']!r} is closed: firmmem goal reopen brings it back with its memories"
    if goal["opened_at"] is not None:
        return f"goal {goal['name']!r} is open already"
    note_goal(connection, goal, now=now)
    run(connection, "goal_open", id=goal["id"], now=now)
    return f"goal {goal['name']!r} open"


def close_goal(connection: Connection, name: str, *, namespace: str, reason: str = "", now: float) -> str:
    """Close a goal and put its memories away, in a transaction; return what became of it.

    Raises:
        InvalidArgumentError: There is no such goal.
    """
    require_goal(connection, name, namespace)
    changed = archive_in_transaction(
        connection, namespace=normalise_label(namespace), goal_id=stored_goal_name(name), reason=reason, now=now
    )
    return "\n".join(changed.lines)


def reopen_goal(connection: Connection, name: str, *, namespace: str, now: float) -> str:
    """Open a closed goal again with the memories that its closing put away, in a transaction.

    Raises:
        InvalidArgumentError: There is no such goal.
    """
    require_goal(connection, name, namespace)
    changed = archive_in_transaction(
        connection, namespace=normalise_label(namespace), goal_id=stored_goal_name(name), restore=True, now=now
    )
    return "\n".join(changed.lines)


def stored_goal_name(name: str) -> str:
    """Return a goal's name as it is stored.

    Raises:
        InvalidArgumentError: It is empty.
    """
    if not (stored := normalise_label(name)):
        raise InvalidArgumentError("Give the goal a name.")
    return stored


def require_goal(connection: Connection, name: str, namespace: str) -> None:
    """Refuse a goal that was never named.

    Raises:
        InvalidArgumentError: It was not.
    """
    if find_goal(connection, normalise_label(namespace), stored_goal_name(name)) is None:
        raise InvalidArgumentError(f"There is no goal {name!r} in namespace {namespace!r}: see firmmem goal list.")
