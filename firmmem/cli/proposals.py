"""`firmmem core proposals`, `accept` and `refuse`: a person decides what becomes a core fact."""

import json
import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import open_for_changes, open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Db, Json, Namespace, choose_file, fail, say, say_json

Id = Annotated[str, typer.Argument(metavar="ID", help="As `firmmem core proposals` shows it.")]


def proposals(
    everything: Annotated[bool, typer.Option("--all", help="Those decided too.")] = False,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show the core facts that agents propose and that wait for a person (FIRMMEM_CORE_WRITE=propose)."""
    from firmmem.memory.write.proposals import list_proposals as waiting

    settings, space = choose_file(db, namespace)
    rows = []
    if settings.db.exists():  # looking makes no file
        with open_for_reading(settings) as connection:
            rows = waiting(connection, space, everything=everything)
    if as_json:
        from firmmem.render.rows import rows_as_json

        say_json(rows_as_json(rows))
        return
    say("\n".join(proposal_line(row) for row in rows) or f"No proposals wait in namespace {space!r} of {settings.db}.")


def accept(proposal_id: Id, namespace: Namespace = "", db: Db = None) -> None:
    """Make a proposal a core fact."""
    from firmmem.memory.write.proposals import accept_proposal as take
    from firmmem.render import replies

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_changes(settings, "core accept") as connection:
        written = take(
            connection, parse_id(proposal_id, "firmmem core proposals"), settings, namespace=space, now=time.time()
        )
    if written.status in ("refused", "quarantined"):
        fail(replies.render_written(written))
    say(replies.render_written(written))


def refuse(proposal_id: Id, namespace: Namespace = "", db: Db = None) -> None:
    """Refuse a proposal; the same text is not proposed again."""
    from firmmem.memory.write.proposals import refuse_proposal as decline

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_changes(settings, "core refuse") as connection:
        row = decline(connection, parse_id(proposal_id, "firmmem core proposals"), namespace=space, now=time.time())
    say(f"refused {proposal_line(row)}")


def proposal_line(row: Any) -> str:
    """Return a proposal on one line."""
    from firmmem.contract import NewMemory
    from firmmem.dates.moments import format_day
    from firmmem.memory.write.annotate import is_suspect
    from firmmem.text.normal_form import to_one_line

    tags = tuple(json.loads(row["tags"]))
    labels = [f"({row['subject']})"] if row["subject"] else []
    labels += [f"[{', '.join(tags)}]"] if tags else []
    if is_suspect(NewMemory(row["fact"], "core", "", subject=row["subject"], tags=tags), client=""):
        labels.append("(reads like an instruction)")
    if row["replaces"] is not None:
        labels.insert(0, f"replace #{row['replaces']} ({to_one_line(row['replaced'])}) by:")
    state = {"accepted": f"accepted as #{row['memory']} ", "refused": "refused "}.get(row["state"], "")
    by = row["client"] or "a client without a name"
    return " ".join([f"{row['id']} {state}{format_day(row['at'])} by {by}:", *labels, to_one_line(row["fact"])])
