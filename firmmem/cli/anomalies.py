"""`firmmem anomalies`, `firmmem release` and `firmmem conflicts`: what a person should look at, and undo."""

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.core import fact_line, open_for_changes, open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Db, Json, Namespace, choose_file, remark, say, say_json

if TYPE_CHECKING:
    from firmmem.anomaly_rule import Face
    from firmmem.memory.trust.anomalies import Group
    from firmmem.settings import Settings

Id = Annotated[str, typer.Argument(metavar="ID", help="As `firmmem anomalies` shows it.")]
SHOWN = 10  # of each list
PAIRS = 50  # of memories in conflict


def anomalies(
    now: Annotated[bool, typer.Option("--now", help="Check first, every namespace, as the daily upkeep does.")] = False,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show what is in quarantine and why, the alerts, and what else is unusual, with every figure."""
    from firmmem.render.rows import rows_as_json, value_as_json

    settings, space = choose_file(db, namespace)
    if not settings.db.exists():  # looking makes no file
        say(f"Nothing is remembered here yet: {settings.db} does not exist.")
        return
    if now:
        said = f"Checked: {run_check(settings)}."
        remark(said) if as_json else say(said)
    aside, alerts, groups = examine_namespace(settings, space)
    if as_json:
        tiers = [value_as_json(group) for group in groups]
        say_json({"quarantined": rows_as_json(aside), "alerts": rows_as_json(alerts), "tiers": tiers})
    else:
        say("\n".join(namespace_lines(space, aside, alerts, groups)))


def run_check(settings: "Settings") -> str:
    """Run the daily check at once, and return what it did; `firmmem undo` takes it back."""
    import anyio

    from firmmem.store.database import open_database
    from firmmem.upkeep.daily import ANOMALIES
    from firmmem.upkeep.held import perform_job

    async def do() -> str | None:
        async with open_database(settings) as database:
            return await perform_job(database, ANOMALIES, time.time, forced=True)

    return anyio.run(do) or "another process is at it"


def examine_namespace(settings: "Settings", namespace: str) -> tuple[list[Any], list[Any], "list[Group]"]:
    """Return what is set aside in a namespace, the alerts, and the figures of each tier."""
    import anyio

    from firmmem.memory.trust.anomalies import examine
    from firmmem.store.database import open_database
    from firmmem.store.statements import fetch

    async def look() -> tuple[list[Any], list[Any], "list[Group]"]:
        async with open_database(settings) as database:
            aside = await database.read(fetch, "quarantined", namespace=namespace, most=1000)
            alerts = await database.read(fetch, "alerts", namespace=namespace)
            return aside, alerts, await examine(database, settings, now=time.time(), namespace=namespace)

    return anyio.run(look)


def namespace_lines(namespace: str, aside: list[Any], alerts: list[Any], groups: "list[Group]") -> Iterator[str]:
    """Yield the lines on a namespace: what is set aside, the alerts, and the figures of each tier."""
    yield f"Set aside in namespace {namespace!r}:" if aside else f"Nothing is set aside in namespace {namespace!r}."
    for row in aside:
        yield f"  {fact_line(row)}"
        yield f"    {describe_quarantine(row)}"
    if aside:
        yield "  `firmmem release ID` brings one back."
    for row in alerts:
        yield f"Alert, {row['tier']}: {row['reason']}: {list_with_rest(json.loads(row['memories']), row['count'])}"
    for group in groups:
        yield from tier_lines(group)


def describe_quarantine(row: Any) -> str:
    """Return why and when a memory was set aside."""
    from firmmem.dates.moments import format_time

    if row["run"] is None:
        return f"{row['state_reason'] or row['state_cause'] or 'by an unknown hand'}, {format_time(row['state_at'])}"
    figures = f"value {row['value']:.4f}, centre {row['centre']:.4f}, spread {row['spread']:.4f}, n {row['n']}"
    return f"{row['reason']} ({row['metric']}: {figures}), run {row['run']}, {format_time(row['at'])}"


def list_with_rest(pairs: Sequence[Sequence[float]], count: int) -> str:
    """Return some memories with their values, and how many there are beside them."""
    shown = ", ".join(f"#{memory} ({value:.2f})" for memory, value in pairs[:SHOWN])
    return f"{shown} and {count - SHOWN} more" if count > SHOWN else shown


def tier_lines(group: "Group") -> Iterator[str]:
    """Yield what one tier's memories are like, and which of them stand out without being set aside."""
    from firmmem.anomaly_rule import LEAST

    few = f" (no rule below {LEAST})" if group.trust.n < LEAST else ""
    trust = f"{describe_face(group.trust.mean)}, {describe_face(group.trust.median)}"
    yield f"{group.tier}, {group.trust.n}{few}: trust {trust}"
    yield f"  RFM {describe_face(group.rfm.mean)}, {describe_face(group.rfm.median)}"
    if group.suspects:
        pairs = [(suspect.id, suspect.value) for suspect in group.suspects]
        yield f"  to be set aside by the next check: {list_with_rest(pairs, len(pairs))}"
    if group.faded:
        yield f"  RFM far below, which is mostly age: {list_with_rest(group.faded, len(group.faded))}"
    if group.vivid:
        yield f"  RFM far above: {list_with_rest(group.vivid, len(group.vivid))}"
    for turn in group.falls:
        sessions = "1 session" if turn.voters == 1 else f"{turn.voters} sessions"
        yield f"  fell within days: #{turn.id}, trust {turn.before:.2f} → {turn.now:.2f}, {sessions} against it"


def describe_face(of: "Face") -> str:
    """Return a centre and its spread."""
    return f"{of.name} {of.centre:.4f} ± {of.spread:.4f}"


def release(
    memory_id: Id,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the ledger.")] = "",
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Bring a memory back from quarantine; it stays until someone votes against it again."""
    from firmmem.memory.trust.feedback import clean_remark
    from firmmem.memory.trust.quarantine import release as bring_back

    settings, space = choose_file(db, namespace)
    require_file(settings)
    why_released = clean_remark(reason, settings)
    with open_for_changes(settings, "release") as connection:
        row = bring_back(
            connection, parse_id(memory_id, "firmmem anomalies"), namespace=space, reason=why_released, now=time.time()
        )
    say(f"released {fact_line(row)}")


def conflicts(
    most: Annotated[int, typer.Option("--most", min=1, help="How many of the newest memories are compared.")] = 1000,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show memories that can't both be right: of one subject, or that seem to contradict each other."""
    from firmmem.memory.write.conflicts import list_conflicts as look
    from firmmem.render.rows import row_as_json

    settings, space = choose_file(db, namespace)
    found = []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            found = look(connection, space, most=most)
    if as_json:
        say_json(
            [
                {"about": each.about, "older": row_as_json(each.older), "newer": row_as_json(each.newer)}
                for each in found
            ]
        )
        return
    for each in found[:PAIRS]:
        say(
            f"{each.about}:\n  {each.older['tier']:9} {fact_line(each.older)}\n"
            f"  {each.newer['tier']:9} {fact_line(each.newer)}"
        )
    if len(found) > PAIRS:
        say(f"and {len(found) - PAIRS} more")
    say(
        f"{len(found)} to settle: have an agent archive or supersede one of each."
        if found
        else f"No conflicts in {space!r}."
    )
