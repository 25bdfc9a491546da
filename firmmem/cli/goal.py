"""`firmmem goal`: a person opens, closes and lists goals, and sees which strategic memories have none."""

import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import changing, reading
from firmmem.cli.terminal import Commands, Db, Namespace, chosen, say

app = typer.Typer(
    cls=Commands,
    help="Open, close and list goals, which strategic memories serve.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="GOAL", help="Its name, the goal_id of the memories that serve it.")]


@app.command("list")
def list_goals(namespace: Namespace = "", db: Db = None) -> None:
    """Show the goals of a namespace, and the strategic memories whose goal is closed or unknown."""
    from firmmem.memory.write.goals import goalless, goals

    settings, space = chosen(db, namespace)
    found, lost = [], []
    if settings.db.exists():
        with reading(settings) as connection:
            found, lost = goals(connection, namespace=space), goalless(connection, namespace=space)
    say("\n".join(line(goal) for goal in found) or f"There are no goals in namespace {space!r} of {settings.db}.")
    if lost:
        say("\nStrategic memories whose goal is not open:")
        say("\n".join(without_goal(row) for row in lost))


@app.command("open")
def open_(goal: Name, namespace: Namespace = "", db: Db = None) -> None:
    """Open a goal before its first strategic memory does."""
    from firmmem.memory.write.goals import open_goal

    settings, space = chosen(db, namespace)
    with changing(settings) as connection:
        say(open_goal(connection, goal, namespace=space, now=time.time()))


@app.command()
def close(
    goal: Name,
    reason: Annotated[str, typer.Option("--reason", help="Why, kept beside its memories.")] = "",
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Close a goal and archive its memories; `firmmem goal reopen` brings both back."""
    from firmmem.memory.trust.feedback import remark
    from firmmem.memory.write.goals import close_goal

    settings, space = chosen(db, namespace)
    said = remark(reason, settings)
    with changing(settings) as connection:
        say(close_goal(connection, goal, namespace=space, reason=said, now=time.time()))


@app.command()
def reopen(goal: Name, namespace: Namespace = "", db: Db = None) -> None:
    """Open a closed goal again, with the memories that its closing archived."""
    from firmmem.memory.write.goals import reopen_goal

    settings, space = chosen(db, namespace)
    with changing(settings) as connection:
        say(reopen_goal(connection, goal, namespace=space, now=time.time()))


def line(goal: Any) -> str:
    """Return a goal on one line."""
    from firmmem.dates.moments import day

    opened = f"open since {day(goal['opened_at'])}" if goal["opened_at"] is not None else "only mentioned"
    state = f"closed {day(goal['closed_at'])}" if goal["closed_at"] is not None else opened
    return f"{goal['name']}: {state}, {goal['active']} in use, {goal['archived']} archived"


def without_goal(row: Any) -> str:
    """Return a strategic memory on one line, with what became of its goal."""
    from firmmem.dates.moments import day
    from firmmem.text.normal_form import one_line

    closed = f"goal {row['goal_name']}, closed {day(row['closed_at'])}" if row["closed_at"] is not None else ""
    unknown = f"goal {row['goal_name']}, never opened" if row["goal_name"] else "no goal"
    return f"#{row['id']} {day(row['created_at'])} ({closed or unknown}) {one_line(row['summary'])}"
