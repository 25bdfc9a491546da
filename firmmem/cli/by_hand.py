"""`firmmem add`, `edit`, `archive`, `restore` and `vote`: what a person changes, each of which `undo` takes back."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from firmmem.cli.core import open_for_changes, open_for_reading, parse_id, require_file
from firmmem.cli.memories import Ids, parse_ids, parse_tiers
from firmmem.cli.terminal import Db, Json, Namespace, Yes, at_terminal, choose_file, fail, remark, say, say_json

if TYPE_CHECKING:
    from firmmem.contract import Changed
    from firmmem.memory.hand.action import Action
    from firmmem.settings import Settings
    from firmmem.store.statements import Connection

Id = Annotated[str, typer.Argument(metavar="ID", help="A number as `firmmem list` shows it.")]
Tier = Annotated[str, typer.Option("--tier", help="core, strategic, validated or draft.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A short label; may be given again.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, kept with the memory's moves.")]


def add(
    text: Annotated[str, typer.Argument(help="One statement.")],
    tier: Tier = "validated",
    goal: Annotated[str, typer.Option("--goal", help="The goal that it serves.")] = "",
    subject: Annotated[str, typer.Option("--subject", help="What it is about, such as user.city.")] = "",
    tag: Tags = None,
    importance: Annotated[float, typer.Option("--importance", min=0, max=1, help="More fades slower.")] = 0.5,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", help="The id of a memory that it replaces.")
    ] = None,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Add a memory of any tier by hand."""
    from firmmem.contract import NewMemory
    from firmmem.memory.hand.by_person import add_memory
    from firmmem.render import replies

    settings, space = choose_file(db, namespace)
    [wanted] = parse_tiers([tier])
    new = NewMemory(
        text,
        wanted,
        space,
        goal_id=goal,
        subject=subject,
        tags=tuple(tag or ()),
        importance=importance,
        supersedes=tuple(parse_ids(supersedes or ())),
    )
    with acting(settings, "add") as (connection, action):
        written = add_memory(connection, new, settings, now=time.time())
        action.said = f"#{written.id} {written.status}"
    if as_json:
        say_json({"id": written.id, "tier": written.tier, "status": written.status, "run": action.run or None})
    elif written.status not in ("refused", "quarantined"):
        say(replies.render_written(written))
        say_undo(action)
    if written.status in ("refused", "quarantined"):
        fail(replies.render_written(written))


def edit(
    memory_id: Id,
    text: Annotated[str | None, typer.Argument(help="The new text; none keeps the old one.")] = None,
    subject: Annotated[str | None, typer.Option("--subject", help='Another subject; "" takes it away.')] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="The tags from now on; may be given again.")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    goal: Annotated[str | None, typer.Option("--goal", help='Another goal; "" takes it away.')] = None,
    tier: Annotated[str | None, typer.Option("--tier", help="core, strategic, validated or draft.")] = None,
    importance: Annotated[float | None, typer.Option("--importance", min=0, max=1, help="More fades slower.")] = None,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Change a memory's text, subject, tags, goal, tier or importance; what it said before is kept as history."""
    from firmmem.memory.hand.listing import goal_names, show_memory
    from firmmem.memory.write.edit import Edit, edit_memory
    from firmmem.render.memories import listed_line, memory_as_json

    wanted = Edit(
        text, subject, [] if no_tags else tag, goal, parse_tiers([tier])[0] if tier is not None else None, importance
    )
    if wanted.empty:
        fail("nothing to change: give the new text, or --subject, --tag, --no-tags, --goal, --tier, --importance.", 2)
    number = parse_id(memory_id, "firmmem list")
    settings, space = choose_file(db, namespace)
    require_file(settings)
    with acting(settings, "edit") as (connection, action):
        action.said = f"#{number} edited"
        before = edit_memory(connection, number, wanted, settings, namespace=space, now=time.time())
        after = show_memory(connection, number, namespace=space).memory
        goals = goal_names(connection, [before, after])
    if as_json:
        say_json(memory_as_json(after, space, goals) | {"run": action.run or None})
        return
    say(f"was  {listed_line(before, goals)}\nnow  {listed_line(after, goals)}")
    say_undo(action)


def archive(
    memory_ids: Ids,
    reason: Reason = "",
    yes: Yes = False,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Put memories away, core facts too; `firmmem restore` brings them back."""
    from firmmem.memory.hand.by_person import archive_by_person

    numbers = parse_ids(memory_ids)
    settings, space = choose_file(db, namespace)
    require_file(settings)
    confirm(settings, numbers, space, "Archive", yes=yes)
    with acting(settings, "archive") as (connection, action):
        done = archive_by_person(connection, numbers, settings, namespace=space, reason=reason, now=time.time())
    say_changed(done, action, as_json=as_json)


def restore(
    memory_ids: Ids, reason: Reason = "", as_json: Json = False, namespace: Namespace = "", db: Db = None
) -> None:
    """Bring memories back into use from the archive, from history or from quarantine."""
    from firmmem.memory.hand.by_person import restore_by_person

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with acting(settings, "restore") as (connection, action):
        numbers = parse_ids(memory_ids)
        done = restore_by_person(connection, numbers, settings, namespace=space, reason=reason, now=time.time())
    say_changed(done, action, as_json=as_json)


def vote(
    outcome: Annotated[str, typer.Argument(help="positive, negative or verified.")],
    memory_ids: Ids,
    note: Annotated[str, typer.Option("--note", help="Why, kept in the trust ledger.")] = "",
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Say that memories proved right (positive), wrong (negative) or were checked (verified), as a tool does."""
    from firmmem.memory.hand.by_person import vote_by_person

    if outcome not in ("positive", "negative", "verified"):
        fail(f"{outcome!r} is no outcome: name positive, negative or verified.", 2)
    settings, space = choose_file(db, namespace)
    require_file(settings)
    with acting(settings, "vote") as (connection, action):
        numbers = parse_ids(memory_ids)
        done = vote_by_person(
            connection,
            numbers,
            outcome,  # type: ignore[arg-type]  # it is one of the three
            settings,
            namespace=space,
            note=note,
            now=time.time(),
        )
    say_changed(done, action, as_json=as_json)


@contextmanager
def acting(settings: "Settings", verb: str) -> Iterator[tuple["Connection", "Action"]]:
    """Hold a connection by a person, in one transaction that is recorded as a run."""
    from firmmem.memory.hand.action import record_action

    with open_for_changes(settings) as connection, record_action(connection, verb, now=time.time()) as action:
        yield connection, action


def confirm(settings: "Settings", numbers: Sequence[int], namespace: str, verb: str, *, yes: bool) -> None:
    """Show what is named and ask, unless there is nothing to ask about; more than one is asked about."""
    from firmmem.memory.hand.listing import goal_names
    from firmmem.render.memories import listed_line
    from firmmem.store.statements import fetch

    if yes or (verb == "Archive" and len(numbers) == 1):
        return
    if not at_terminal():
        fail(f"there is nobody to ask whether to {verb.lower()} {len(numbers)} memories: add --yes.", 2)
    with open_for_reading(settings) as connection:
        rows = fetch(connection, "memory_by_id", ids=json.dumps(list(numbers)), namespace=namespace)
        goals = goal_names(connection, rows)
    say("\n".join(listed_line(row, goals) for row in rows))
    typer.confirm(f"{verb} {'this' if len(rows) == 1 else f'these {len(rows)}'}?", abort=True)


def say_changed(changed: "Changed", action: "Action", *, as_json: bool) -> None:
    """Say what became of each memory; the exit code is 1 where nothing was done."""
    if as_json:
        say_json({"lines": list(changed.lines), "done": changed.done, "run": action.run or None})
    else:
        say("\n".join(changed.lines))
        say_undo(action)
    if not changed.done:
        raise typer.Exit(1)


def say_undo(action: "Action") -> None:
    """Say how to take an action back."""
    if action.run:
        remark(f"`firmmem undo {action.run}` takes this back.")
