"""`firmmem core`: a person lists, adds, edits and removes core facts, which agents can only add."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.terminal import Commands, Db, Namespace, at_terminal, choose_file, fail, say
from firmmem.settings import Settings

if TYPE_CHECKING:
    from firmmem.store.statements import Connection

app = typer.Typer(
    cls=Commands,
    help="List, add, edit and remove core facts, and decide on proposals: only a person can.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="As `firmmem core list` shows it.")]
Subject = Annotated[str | None, typer.Option("--subject", help="What it is about, such as user.name.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A short label; may be given again.")]


@app.command("list")
def list_facts(
    everything: Annotated[bool, typer.Option("--all", help="Removed facts and earlier versions too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show the core facts of a namespace."""
    from firmmem.memory.write.core_facts import EVERY_STATE, list_core_facts

    settings, space = choose_file(db, namespace)
    rows = []
    if settings.db.exists():  # looking makes no file
        with open_for_reading(settings) as connection:
            rows = list_core_facts(connection, space, EVERY_STATE if everything else ("active",))
    if as_json:
        say(json.dumps([fact_as_json(row, space) for row in rows], ensure_ascii=False, indent=2))
    elif rows:
        say("\n".join(fact_line(row) for row in rows))
    elif settings.db.exists():
        say(f"There are no core facts in namespace {space!r} of {settings.db}.")
    else:
        say(f"There are no core facts yet: {settings.db} does not exist.")


@app.command()
def add(fact: str, subject: Subject = None, tag: Tags = None, namespace: Namespace = "", db: Db = None) -> None:
    """Add a core fact, or bring back one that was removed."""
    from firmmem.memory.write.core_facts import add_fact as add_fact
    from firmmem.render import replies

    settings, space = choose_file(db, namespace)
    with open_for_changes(settings, "core add") as connection:
        written = add_fact(
            connection,
            fact,
            settings,
            namespace=space,
            subject=subject or "",
            tags=tag or (),
            now=time.time(),
        )
    if written.status in ("refused", "quarantined"):
        fail(replies.render_written(written))
    say(replies.render_written(written))


@app.command()
def edit(
    memory_id: Id,
    fact: Annotated[str | None, typer.Argument(help="The new text; none keeps the old one.")] = None,
    subject: Subject = None,
    tag: Tags = None,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Change a core fact; what it said before is kept as history."""
    from firmmem.memory.write.core_facts import core_row
    from firmmem.memory.write.core_facts import edit_fact as edit_fact

    if fact is None and subject is None and tag is None:
        fail("nothing to change: give the new text, --subject or --tag.", 2)
    number = parse_id(memory_id)
    settings, space = choose_file(db, namespace)
    with open_for_changes(settings, "core edit") as connection:
        text = core_row(connection, number, space)["summary"] if fact is None else fact
        before = edit_fact(
            connection, number, text, settings, namespace=space, subject=subject, tags=tag, now=time.time()
        )
        after = core_row(connection, number, space)
    say(f"was  {fact_line(before)}\nnow  {fact_line(after)}")


@app.command()
def remove(
    memory_id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Archive a core fact; `firmmem core add` with the same text brings it back."""
    from firmmem.memory.write.core_facts import core_row
    from firmmem.memory.write.core_facts import remove_fact as remove_fact

    number = parse_id(memory_id)
    settings, space = choose_file(db, namespace)
    with open_for_reading(settings) as connection:
        row = core_row(connection, number, space)
    if not yes:
        if not at_terminal():
            fail(f"there is nobody to ask whether to remove #{number}: add --yes.", 2)
        typer.confirm(f"{fact_line(row)}\nRemove this core fact?", abort=True)
    with open_for_changes(settings, "core remove") as connection:
        row = remove_fact(connection, number, namespace=space, now=time.time())
    say(f"removed {fact_line(row)}")


def require_file(settings: Settings) -> None:
    """End the command where there is no file yet: what looks for something makes none."""
    if not settings.db.exists():
        fail(f"nothing is remembered yet: {settings.db} does not exist.")


@contextmanager
def open_for_reading(settings: Settings) -> Iterator["Connection"]:
    """Hold a connection that changes nothing."""
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection

    connection = open_connection(settings, writes=False)
    try:
        with explain_file_errors(settings.db):
            yield connection
    finally:
        connection.close()


@contextmanager
def open_for_changes(settings: Settings, verb: str = "") -> Iterator["Connection"]:
    """Hold a connection that works for a person, in one transaction; what has a `verb` can be undone."""
    from firmmem.memory.hand.action import record_action
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection
    from firmmem.store.statements import transaction

    connection = open_connection(settings, by_person=True)
    try:
        with explain_file_errors(settings.db), transaction(connection):
            if not verb:
                yield connection
            else:
                with record_action(connection, verb, now=time.time()):
                    yield connection
    finally:
        connection.close()


def parse_id(text: str, shown_by: str = "firmmem core list") -> int:
    """Return the id that a person typed, `12` or `#12`."""
    digits = text.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        fail(f"{text!r} is no id: give a number as `{shown_by}` shows it.", 2)
    return int(digits)


def fact_line(row: Any) -> str:
    """Return a core fact on one line."""
    from firmmem.dates.moments import format_day
    from firmmem.text.normal_form import to_one_line

    labels = [f"({row['subject']})"] if row["subject"] else []
    labels += [f"[{', '.join(json.loads(row['tags']))}]"] if row["tags"] != "[]" else []
    state = {"archived": "removed "}.get(row["state"], "")
    if row["superseded_by"]:
        state = f"earlier version of #{row['superseded_by']} "
    return " ".join([f"#{row['id']} {state}{format_day(row['created_at'])}", *labels, to_one_line(row["summary"])])


def fact_as_json(row: Any, namespace: str) -> dict[str, Any]:
    """Return a core fact as JSON shows it."""
    from firmmem.dates.moments import format_time

    return {
        "id": row["id"],
        "fact": row["summary"],
        "subject": row["subject"],
        "tags": json.loads(row["tags"]),
        "namespace": namespace,
        "state": row["state"],
        "source": row["source"],
        "created_at": format_time(row["created_at"]),
        "superseded_by": row["superseded_by"],
    }
