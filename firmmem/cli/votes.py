"""`firmmem trust` and `firmmem revoke`: who said what of a memory, and taking it back."""

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.core import fact_line, open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Db, Json, Namespace, at_terminal, choose_file, fail, say, say_json

if TYPE_CHECKING:
    from firmmem.memory.trust.revoke import Refolded
    from firmmem.settings import Settings

Id = Annotated[str, typer.Argument(metavar="ID", help="As a recall shows it.")]


def trust(memory_id: Id, as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Show every vote on a memory: who gave it, when, why, and the trust before and after."""
    from firmmem.memory.trust.votes import list_votes
    from firmmem.render.rows import row_as_json, rows_as_json

    number = parse_id(memory_id, "firmmem recall")
    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_reading(settings) as connection:
        row = require_memory(connection, number, space)
        votes = list_votes(connection, number)
    if as_json:
        say_json({"memory": row_as_json(row), "votes": rows_as_json(votes)})
        return
    say(
        f"{fact_line(row)}\n{row['tier']}, {row['state']}: "
        f"trust {row['initial_trust']:.2f} at first, {row['trust']:.4f} now"
    )
    say("\n".join(vote_line(vote) for vote in votes) or "Nobody has voted on it.")
    if any(vote["counts"] for vote in votes) and row["tier"] != "core":
        say(fold_lines(row, votes, settings))


def require_memory(connection: Any, memory_id: int, namespace: str) -> Any:
    """Return a memory of a namespace, wherever it lies; end the command where there is none."""
    from firmmem.store.statements import fetch

    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=namespace)
    if not rows:
        fail(f"there is no memory #{memory_id} in namespace {namespace!r}.")
    return rows[0]


def fold_lines(row: Any, votes: list[Any], settings: "Settings") -> str:
    """Return how the votes that count make the trust, step by step."""
    from firmmem.memory.trust.votes import fold_votes

    counted = [vote["outcome"] for vote in votes if vote["counts"]]
    steps = [f"{row['initial_trust']:.4f}"]
    for number, outcome in enumerate(counted, 1):
        steps.append(f"{outcome} {fold_votes(row['initial_trust'], counted[:number], settings):.4f}")
    return f"by the votes that count: {' → '.join(steps)}"


def vote_line(vote: Any) -> str:
    """Return one vote on one line."""
    from firmmem.dates.moments import format_time
    from firmmem.text.normal_form import to_one_line

    parts = [
        format_time(vote["at"]),
        f"{vote['outcome']:8}",
        f"{vote['trust_before']:.4f} → {vote['trust_after']:.4f}",
        f"{vote['client'] or '(no name)'}, session {vote['session']}",
    ]
    parts += [f'"{to_one_line(vote["note"])}"'] if vote["note"] else []
    if vote["revoked_at"] is not None:
        why = f": {to_one_line(vote['revoked_reason'])}" if vote["revoked_reason"] else ""
        moved = f"{vote['revoked_before']:.4f} → {vote['revoked_after']:.4f}"
        parts.append(f"(revoked {format_time(vote['revoked_at'])}, {moved}{why})")
    elif not vote["counts"]:
        parts.append("(replaced by a later vote of this session)")
    return "  ".join(parts)


def revoke(
    client: Annotated[str, typer.Option("--client", help="The client's name, as `firmmem trust` shows it.")],
    session: Annotated[str, typer.Option("--session", help="Only the votes of this session.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why, for the ledger.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Only in this namespace, not in all.")] = "",
    db: Db = None,
) -> None:
    """Take back a client's votes exactly: trust is what it would be if they had never been given."""
    from firmmem.text.normal_form import count_memories

    settings, space = choose_file(db, namespace)
    require_file(settings)
    where = space if namespace.strip() or settings.namespace_lock else ""
    whose = f"{client!r}" + (f", session {session}" if session else "") + (f", namespace {where!r}" if where else "")
    if not has_votes(settings, client, session, where):
        say(f"No vote of {whose} counts.")
        return
    if not yes:
        if not at_terminal():
            fail(f"there is nobody to ask whether to take back the votes of {whose}: add --yes.", 2)
        typer.confirm(f"Take back every vote of {whose}?", abort=True)
    found = list(revoke_all_votes(settings, client, session, where, reason))
    for each in found:
        say(revoked_line(each))
    count = sum(each.votes for each in found)
    votes = "1 vote" if count == 1 else f"{count} votes"
    say(f"{votes} of {whose} on {count_memories(len(found))} taken back." if found else f"No vote of {whose} counts.")


def has_votes(settings: "Settings", client: str, session: str, namespace: str) -> bool:
    """Return whether there is a vote to take back."""
    from firmmem.cli.core import open_for_reading
    from firmmem.store.statements import fetch

    asked = {"client": client, "session": session, "namespace": namespace}
    with open_for_reading(settings) as connection:
        return bool(fetch(connection, "voted_on", **asked, after=0, chunk=1))


def revoke_all_votes(
    settings: "Settings", client: str, session: str, namespace: str, reason: str
) -> Iterator["Refolded"]:
    """Take back votes in short transactions, so that nobody waits long."""
    from firmmem.memory.trust.feedback import clean_remark
    from firmmem.memory.trust.revoke import revoke_votes as take_back
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection
    from firmmem.store.statements import transaction
    from firmmem.upkeep.held import pause

    now = time.time()
    said = {"session": session, "namespace": namespace, "reason": clean_remark(reason, settings)}
    connection = open_connection(settings, by_person=True)
    try:
        after = 0
        while True:
            began = time.perf_counter()
            with explain_file_errors(settings.db), transaction(connection):
                found = take_back(connection, client, settings, after=after, now=now, **said)
            if not found:
                return
            yield from found
            after = found[-1].id
            time.sleep(pause(time.perf_counter() - began))
    finally:
        connection.close()


def revoked_line(each: "Refolded") -> str:
    """Return what taking back votes made of one memory."""
    said = f"#{each.id} trust {each.trust_before:.2f} → {each.trust_after:.2f}"
    if each.tier_after != each.tier_before:
        said += f", {each.tier_before} → {each.tier_after}"
    if each.state == "quarantined":
        said += f", in quarantine (firmmem release {each.id} brings it back)"
    return said
