"""`firmmem core proposals`, `accept` and `refuse`: a person decides what becomes a core fact."""

import json
import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import changing, id_of, must_exist, reading
from firmmem.cli.terminal import Db, Namespace, chosen, fail, say

Id = Annotated[str, typer.Argument(metavar="ID", help="As `firmmem core proposals` shows it.")]


def proposals(
    everything: Annotated[bool, typer.Option("--all", help="Those decided too.")] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show the core facts that agents propose and that wait for a person (FIRMMEM_CORE_WRITE=propose)."""
    from firmmem.memory.write.proposals import proposals as waiting

    settings, space = chosen(db, namespace)
    rows = []
    if settings.db.exists():  # looking makes no file
        with reading(settings) as connection:
            rows = waiting(connection, space, everything=everything)
    say("\n".join(line(row) for row in rows) or f"No proposals wait in namespace {space!r} of {settings.db}.")


def accept(proposal_id: Id, namespace: Namespace = "", db: Db = None) -> None:
    """Make a proposal a core fact."""
    from firmmem.memory.write.proposals import accept as take
    from firmmem.render import replies

    settings, space = chosen(db, namespace)
    must_exist(settings)
    with changing(settings) as connection:
        written = take(
            connection, id_of(proposal_id, "firmmem core proposals"), settings, namespace=space, now=time.time()
        )
    if written.status in ("refused", "quarantined"):
        fail(replies.written(written))
    say(replies.written(written))


def refuse(proposal_id: Id, namespace: Namespace = "", db: Db = None) -> None:
    """Refuse a proposal; the same text is not proposed again."""
    from firmmem.memory.write.proposals import refuse as decline

    settings, space = chosen(db, namespace)
    must_exist(settings)
    with changing(settings) as connection:
        row = decline(connection, id_of(proposal_id, "firmmem core proposals"), namespace=space, now=time.time())
    say(f"refused {line(row)}")


def line(row: Any) -> str:
    """Return a proposal on one line."""
    from firmmem.contract import NewMemory
    from firmmem.dates.moments import day
    from firmmem.memory.write.annotate import suspect
    from firmmem.text.normal_form import one_line

    tags = tuple(json.loads(row["tags"]))
    labels = [f"({row['subject']})"] if row["subject"] else []
    labels += [f"[{', '.join(tags)}]"] if tags else []
    if suspect(NewMemory(row["fact"], "core", "", subject=row["subject"], tags=tags)):
        labels.append("(reads like an instruction)")
    state = {"accepted": f"accepted as #{row['memory']} ", "refused": "refused "}.get(row["state"], "")
    by = row["client"] or "a client without a name"
    return " ".join([f"{row['id']} {state}{day(row['at'])} by {by}:", *labels, one_line(row["fact"])])
