"""An action of a person: a run like those of the periodic work, so that `firmmem undo` takes it back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firmmem.store.statements import Connection, fetch, run


@dataclass
class Action:
    """What a person is doing; `run` is 0 where it changed nothing that could be taken back."""

    verb: str
    run: int
    said: str = ""  # what `firmmem runs` shows of it; never a memory's text
    undoable: bool = True


@contextmanager
def record_action(connection: Connection, verb: str, *, now: float) -> Iterator[Action]:
    """Record what the block changes as a person's run, within the caller's transaction."""
    [begun] = fetch(connection, "action_begin", verb=verb, now=now)
    action = Action(verb, begun["id"])
    connection.acting = action.run
    try:
        yield action
    finally:
        connection.acting = None
    [size] = fetch(connection, "action_size", run=action.run)
    done = size["count"] if action.undoable else 1
    said = action.said or f"{size['count']} changed"
    run(connection, "run_end", id=action.run, done=done, result=said, failed=0, now=now)
    run(connection, "run_drop", id=action.run)
    if not done:
        action.run = 0
