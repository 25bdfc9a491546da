"""`firmmem goal`: a person opens, closes and lists goals, and sees which strategic memories have none."""

import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import open_for_changes, open_for_reading
from firmmem.cli.terminal import Commands, Db, Json, Namespace, choose_file, say, say_json

app = typer.Typer(
    cls=Commands,
    help="Open, close and list goals, which strategic memories serve.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="GOAL", help="Its name, the goal_id of the memories that serve it.")]


@app.command("list")
def list_goals(as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Show the goals of a namespace, and the strategic memories whose goal is closed or unknown."""
    from firmmem.memory.write.goals import list_goalless, read_goals

    settings, space = choose_file(db, namespace)
    found, lost = [], []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            found, lost = read_goals(connection, namespace=space), list_goalless(connection, namespace=space)
    if as_json:
        from firmmem.render.rows import rows_as_json

        say_json({"goals": rows_as_json(found), "without_open_goal": rows_as_json(lost)})
        return
    say("\n".join(goal_line(goal) for goal in found) or f"There are no goals in namespace {space!r} of {settings.db}.")
    if lost:
        say("\nStrategic memories whose goal is not open:")
        say("\n".join(goalless_line(row) for row in lost))


@app.command("open")
def open_(goal: Name, namespace: Namespace = "", db: Db = None) -> None:
    """Open a goal before its first strategic memory does."""
    from firmmem.memory.write.goals import open_goal

    settings, space = choose_file(db, namespace)
    with open_for_changes(settings, "goal open") as connection:
        say(open_goal(connection, goal, namespace=space, now=time.time()))


@app.command()
def close(
    goal: Name,
    reason: Annotated[str, typer.Option("--reason", help="Why, kept beside its memories.")] = "",
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Close a goal and archive its memories; `firmmem goal reopen` brings both back."""
    from firmmem.memory.trust.feedback import clean_remark
    from firmmem.memory.write.goals import close_goal

    settings, space = choose_file(db, namespace)
    said = clean_remark(reason, settings)
    with open_for_changes(settings, "goal close") as connection:
        say(close_goal(connection, goal, namespace=space, reason=said, now=time.time()))


@app.command()
def reopen(goal: Name, namespace: Namespace = "", db: Db = None) -> None:
    """Open a closed goal again, with the memories that its closing archived."""
    from firmmem.memory.write.goals import reopen_goal

    settings, space = choose_file(db, namespace)
    with open_for_changes(settings, "goal reopen") as connection:
        say(reopen_goal(connection, goal, namespace=space, now=time.time()))


def goal_line(goal: Any) -> str:
    """Return a goal on one line."""
    from firmmem.dates.moments import format_day

    opened = f"open since {format_day(goal['opened_at'])}" if goal["opened_at"] is not None else "only mentioned"
    state = f"closed {format_day(goal['closed_at'])}" if goal["closed_at"] is not None else opened
    return f"{goal['name']}: {state}, {goal['active']} in use, {goal['archived']} archived"


def goalless_line(row: Any) -> str:
    """Return a strategic memory on one line, with what became of its goal."""
    from firmmem.dates.moments import format_day
    from firmmem.text.normal_form import to_one_line

    closed = f"goal {row['goal_name']}, closed {format_day(row['closed_at'])}" if row["closed_at"] is not None else ""
    unknown = f"goal {row['goal_name']}, never opened" if row["goal_name"] else "no goal"
    return f"#{row['id']} {format_day(row['created_at'])} ({closed or unknown}) {to_one_line(row['summary'])}"
