"""`firmmem list` and `firmmem show`: every memory that passes some filters, and one of them whole."""

import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from firmmem.cli.core import open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Db, Json, Namespace, choose_file, fail, remark, say, say_json

STATES = ("active", "archived", "superseded", "quarantined")
Ids = Annotated[list[str], typer.Argument(metavar="ID", help="Numbers as `firmmem list` shows them.")]


def list_(
    words: Annotated[list[str] | None, typer.Argument(help="Only those that have all these words.")] = None,
    state: Annotated[
        list[str] | None, typer.Option("--state", help="active, archived, superseded, quarantined, or all.")
    ] = None,
    tier: Annotated[list[str] | None, typer.Option("--tier", help="core, strategic, validated or draft.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only those with all these tags.")] = None,
    goal: Annotated[str, typer.Option("--goal", help="Only those that serve this goal.")] = "",
    subject: Annotated[str, typer.Option("--subject", help="Only those about this subject.")] = "",
    branch: Annotated[str, typer.Option("--branch", help="Those of this branch instead of main memory.")] = "",
    client: Annotated[str, typer.Option("--client", help="Only those that this client wrote.")] = "",
    since: Annotated[str, typer.Option("--since", help="Written on or after, such as 2026-01-31 or 7 days ago.")] = "",
    until: Annotated[str, typer.Option("--until", help="Written on or before.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many on one page.")] = 50,
    below: Annotated[str, typer.Option("--below", help="Only ids below this one: the next page.")] = "",
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """List memories that pass all filters, newest first, a page at a time."""
    from firmmem.dates.moments import parse_span
    from firmmem.memory.hand.listing import Listing, Page, goal_names, list_memories
    from firmmem.render.memories import listed_line, memory_as_json

    settings, space = choose_file(db, namespace)
    earliest, latest = parse_span(since, until, now=time.time())
    listing = Listing(
        space,
        words=" ".join(words or ()),
        states=parse_states(state or ()),
        tiers=parse_tiers(tier or ()),
        tags=tag or (),
        goal=goal,
        subject=subject,
        branch=branch,
        client=client,
        since=earliest,
        until=latest,
        limit=limit,
        **({"below": parse_id(below, "firmmem list")} if below else {}),
    )
    page, goals = Page([], None), {}
    if settings.db.exists():  # looking makes no file
        with open_for_reading(settings) as connection:
            page = list_memories(connection, listing)
            goals = goal_names(connection, page.rows)
    if as_json:
        shown = [memory_as_json(row, space, goals) for row in page.rows]
        say_json({"namespace": space, "memories": shown, "next": page.next})
        return
    say(
        "\n".join(listed_line(row, goals) for row in page.rows)
        or f"No memory in namespace {space!r} passes these filters."
    )
    if page.next is not None:
        remark(f"There are more: add --below {page.next} for the next page.")


def parse_states(named: Sequence[str]) -> tuple[str, ...]:
    """Return the states that were named, those in use where none was."""
    wanted = [each.strip().lower() for each in named] or ["active"]
    if "all" in wanted:
        return STATES
    if unknown := [each for each in wanted if each not in STATES]:
        fail(f"{unknown[0]!r} is no state: name {', '.join(STATES)}, or all.", 2)
    return tuple(state for state in STATES if state in wanted)


def parse_tiers(named: Sequence[str]) -> tuple[Any, ...]:
    """Return the tiers that were named, every one where none was."""
    from firmmem.contract import TIERS

    wanted = [each.strip().lower() for each in named] or list(TIERS)
    if unknown := [each for each in wanted if each not in TIERS]:
        fail(f"{unknown[0]!r} is no tier: name {', '.join(TIERS)}.", 2)
    return tuple(tier for tier in TIERS if tier in wanted)


def parse_ids(texts: Sequence[str]) -> list[int]:
    """Return the ids that a person typed, `12`, `#12` or `12,13`, each once."""
    parts = [part for text in texts for part in text.replace(",", " ").split()]
    return list(dict.fromkeys(parse_id(part, "firmmem list") for part in parts))


def show(memory_ids: Ids, as_json: Json = False, namespace: Namespace = "", db: Db = None) -> None:
    """Show memories whole: text, labels, trust, every earlier version, every move and every vote."""
    from firmmem.cli.life import move_line, version_line
    from firmmem.cli.votes import vote_line
    from firmmem.memory.hand.listing import goal_names, show_memory
    from firmmem.render.memories import ledgers_as_json, memory_as_json, whole_lines

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_reading(settings) as connection:
        found = [show_memory(connection, number, namespace=space) for number in parse_ids(memory_ids)]
        goals = goal_names(connection, [each.memory for each in found])
    if as_json:
        say_json([memory_as_json(each.memory, space, goals) | ledgers_as_json(each) for each in found])
        return
    blocks = []
    for each in found:
        lines = list(whole_lines(each.memory, goals))
        if len(each.versions) > 1:
            lines += ["  versions, oldest first:", *(f"    {version_line(row)}" for row in each.versions)]
        lines += ["  moves:", *(f"    {move_line(row)}" for row in each.moves)] if each.moves else []
        lines += ["  votes:", *(f"    {vote_line(row)}" for row in each.votes)] if each.votes else []
        lines += (
            [f"  seemed to contradict: {', '.join(f'#{other}' for other in each.conflicts)}"] if each.conflicts else []
        )
        blocks.append("\n".join(lines))
    say("\n\n".join(blocks))
