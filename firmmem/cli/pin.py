"""`firmmem pin`: questions that must go on finding their answer, checked whenever the store changed."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from firmmem.cli.core import open_for_changes, open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Commands, Db, Json, Namespace, choose_file, say, say_json

if TYPE_CHECKING:
    from firmmem.memory.hand.pins import Checked
    from firmmem.settings import Settings

app = typer.Typer(
    cls=Commands,
    help="Pin questions to the memories that answer them, and check that they still do.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def add(
    question: Annotated[str, typer.Argument(help="As an agent would ask it.")],
    expect: Annotated[str, typer.Option("--expect", help="The id of the memory that answers it.")],
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Pin a question to the memory that must be among the first five of its answer."""
    from firmmem.memory.hand.pins import add_pin

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_changes(settings) as connection:
        expected = parse_id(expect, "firmmem list")
        pin = add_pin(connection, question, expected, settings, namespace=space, now=time.time())
    [found] = [each for each in run_check(settings, space) if each.pin["id"] == pin]
    say(f"pin {pin}: {describe(found)}")


@app.command("list")
def list_(as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Show the pinned questions, and what the last check found."""
    from firmmem.dates.moments import format_time
    from firmmem.memory.hand.pins import list_pins

    settings, space = choose_file(db, namespace)
    pins = []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            pins = list_pins(connection, space)
    if as_json:
        columns = ("id", "question", "expected", "place", "cause")
        say_json([{name: pin[name] for name in columns} | {"failed": pin["failed_at"] is not None} for pin in pins])
        return
    lines = []
    for pin in pins:
        state = f"place {pin['place']}" if pin["failed_at"] is None else f"FAILS: {pin['cause']}"
        when = f", checked {format_time(pin['checked_at'])}" if pin["checked_at"] is not None else ""
        lines.append(f"{pin['id']} {pin['question']} (#{pin['expected']}): {state}{when}")
    say("\n".join(lines) or f"No question is pinned in namespace {space!r}.")


@app.command()
def remove(
    pin: Annotated[str, typer.Argument(metavar="PIN", help="As `firmmem pin list` shows it.")],
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Drop a pinned question; the memory stays."""
    from firmmem.memory.hand.pins import remove_pin

    settings, space = choose_file(db, namespace)
    require_file(settings)
    number = parse_id(pin, "firmmem pin list")
    with open_for_changes(settings) as connection:
        remove_pin(connection, number, namespace=space)
    say(f"pin {number} removed")


@app.command()
def check(as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Ask every pinned question now; the exit code is 1 where one does not find its memory among the first five."""
    settings, space = choose_file(db, namespace)
    require_file(settings)
    checked = run_check(settings, space)
    failed = [each for each in checked if each.cause]
    if as_json:
        say_json([{"id": each.pin["id"], "place": each.place, "cause": each.cause} for each in checked])
    else:
        say("\n".join(f"{each.pin['id']} {each.pin['question']}: {describe(each)}" for each in checked) or "No pins.")
    raise typer.Exit(int(bool(failed)))


def describe(checked: "Checked") -> str:
    """Return what a check found, in words."""
    return f"FAILS: {checked.cause}" if checked.cause else f"place {checked.place}"


def run_check(settings: "Settings", namespace: str) -> "list[Checked]":
    """Ask the pinned questions of a namespace, '' for all, as a server would."""
    import anyio

    from firmmem.memory.hand.pins import check_pins
    from firmmem.memory.recall.meaning import build_meaning
    from firmmem.store.database import open_database

    async def ask() -> "list[Checked]":
        async with open_database(settings) as database:
            return await check_pins(database, build_meaning(settings), namespace=namespace, now=time.time())

    return anyio.run(ask)


def check_after(settings: "Settings") -> None:
    """Check all pins after something that may change answers, if there are any; say which fail now."""
    from firmmem.cli.terminal import remark
    from firmmem.memory.hand.pins import list_pins

    with open_for_reading(settings) as connection:
        pinned = list_pins(connection)
    for each in run_check(settings, "") if pinned else ():
        if each.cause:
            remark(f"pin {each.pin['id']} ({each.pin['question']}) FAILS: {each.cause}")
