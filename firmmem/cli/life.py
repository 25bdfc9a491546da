"""`firmmem upkeep`, `forecast`, `runs`, `undo`, `history`: what becomes of memories, and how to take it back."""

import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Commands, Db, Json, Namespace, choose_file, remark, say, say_json

app = typer.Typer(cls=Commands, rich_markup_mode=None)

Id = Annotated[str, typer.Argument(metavar="ID", help="As a recall shows it.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="As `firmmem runs` shows it; none is what a person did last.")]


@app.command()
def upkeep(
    now: Annotated[bool, typer.Option("--now", help="Do all of it, due or not.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    db: Db = None,
) -> None:
    """Do the periodic work that is due, as a running server does by itself."""
    from firmmem.cli.upkeep import do_work, plan_lines

    settings, _ = choose_file(db, "")
    if not settings.db.exists():
        say(f"Nothing to do: {settings.db} does not exist.")
    else:
        say("\n".join(plan_lines(settings, forced=now) if dry_run else do_work(settings, forced=now)))


@app.command()
def forecast(
    days: Annotated[float, typer.Option("--days", min=0, max=100_000, help="How far to look ahead.")] = 30.0,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Say which drafts will be forgotten when, unless they are used before."""
    from firmmem.dates.moments import format_time
    from firmmem.memory.life.forget import fading_drafts
    from firmmem.memory.rows.ranking_keys import DAY
    from firmmem.render.rows import row_as_json

    settings, space = choose_file(db, namespace)
    at = time.time()
    drafts = []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            found = fading_drafts(connection, space, settings, until=at + days * DAY, now=at)
            drafts = list(found)
    if as_json:
        say_json([row_as_json(row) | {"forgotten_at": format_time(moment)} for moment, row in drafts])
        return
    lines = [forecast_line(moment, row, at) for moment, row in drafts]
    say("\n".join(lines) or f"Nothing in namespace {space!r} will be forgotten within {days:g} days.")
    if lines:
        remark("Put into the archive, unless used before: `firmmem undo` brings a run back, an agent single memories.")


@app.command()
def runs(
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many at most.")] = 20,
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Show the latest runs that changed something or failed: a person's and those of the periodic work."""
    from firmmem.render.rows import rows_as_json
    from firmmem.store.statements import fetch

    settings, _ = choose_file(db, "")
    found: list[Any] = []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            found = fetch(connection, "runs", most=limit)
    if as_json:
        say_json(rows_as_json(found))
        return
    say("\n".join(run_line(row) for row in found) or "No run has changed anything.")


@app.command()
def undo(run: Run = "", db: Db = None) -> None:
    """Take back a run, of a person's hand or of the periodic work: each memory returns to where and what it was."""
    from firmmem.cli.upkeep import undo_run

    number = parse_id(run, "firmmem runs") if run else 0
    settings, _ = choose_file(db, "")
    require_file(settings)
    say("\n".join(undo_run(settings, number)))


@app.command()
def history(memory_id: Id, as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Show what a memory said before and says now, and every move that it made."""
    from firmmem.memory.life.history import list_moves, list_versions
    from firmmem.render.rows import rows_as_json

    number = parse_id(memory_id, "firmmem recall")
    settings, space = choose_file(db, namespace)
    with open_for_reading(settings) as connection:
        versions, moves = list_versions(connection, number, namespace=space), list_moves(connection, number)
    if as_json:
        say_json({"versions": rows_as_json(versions), "moves": rows_as_json(moves)})
        return
    lines, made = [version_line(row) for row in versions], [move_line(row) for row in moves]
    say("\n".join([*lines, *([f"\nMoves of #{number}:", *made] if made else [])]))


def forecast_line(at: float, row: Any, now: float) -> str:
    """Return when a draft will be forgotten, on one line."""
    from firmmem.dates.moments import format_day
    from firmmem.text.normal_form import to_one_line

    when = "due now   " if at <= now else format_day(at)
    branch = f"(branch {row['branch']}) " if row["branch"] else ""
    return f"{when} #{row['id']} trust={row['trust']:.2f} {branch}{to_one_line(row['summary'])}"


def run_line(row: Any) -> str:
    """Return a run on one line."""
    from firmmem.dates.moments import format_time

    ended = "" if row["ended_at"] is not None else " (under way, or its process ended)"
    by = " (by a person)" if row["by_person"] else ""
    undone = f" (undone {format_time(row['undone_at'])})" if row["undone_at"] is not None else ""
    return (
        f"{row['id']} {format_time(row['began_at'])} {row['job']}{by}: {row['result'] or 'nothing yet'}{ended}{undone}"
    )


def version_line(row: Any) -> str:
    """Return one version of a memory on one line."""
    from firmmem.dates.moments import format_day
    from firmmem.text.normal_form import to_one_line

    state = "" if row["state"] == "active" else f" {row['state']} {format_day(row['state_at'])}"
    if row["superseded_by"]:
        state = f" superseded {format_day(row['state_at'])} by #{row['superseded_by']}"
    return f"#{row['id']} {row['tier']} {format_day(row['created_at'])}{state}: {to_one_line(row['summary'])}"


def move_line(row: Any) -> str:
    """Return one move of a memory on one line."""
    from firmmem.dates.moments import format_time

    parts = []
    if row["from_tier"] != row["to_tier"]:
        parts.append(f"{row['from_tier']} → {row['to_tier']}")
    if row["from_shelf"] != row["to_shelf"]:
        parts.append(
            f"{place_line(row['from_state'], row['from_branch'])} → {place_line(row['to_state'], row['to_branch'])}"
        )
    by = f", run {row['run']}" if row["run"] is not None else ""
    reason = f": {row['reason']}" if row["reason"] else ""
    return f"{format_time(row['at'])} {', '.join(parts) or 'kept'} ({row['cause']}{by}){reason}"


def place_line(state: str, branch: str) -> str:
    """Return where a memory lies in words."""
    return f"{state} in branch {branch}" if branch else state
