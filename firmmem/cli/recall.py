"""`firmmem recall`: what an agent would be told, told to a person, without a trace in the file."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.core import open_for_reading
from firmmem.cli.memories import parse_tiers
from firmmem.cli.terminal import Db, Json, Namespace, choose_file, say, say_json

if TYPE_CHECKING:
    from firmmem.contract import Question, Recalled
    from firmmem.settings import Settings

TOKENS = 20_000  # a person reads what they asked for, whatever it costs a model


def recall(
    query: Annotated[list[str] | None, typer.Argument(help="Words or a question; none shows what matters now.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many memories at most.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show every factor of each score.")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="Search the archive and history too.")] = False,
    goal: Annotated[str, typer.Option("--goal", help="Prefer memories of this goal.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only memories with one of these.")] = None,
    tier: Annotated[list[str] | None, typer.Option("--tier", help="core, strategic, validated or draft.")] = None,
    since: Annotated[str, typer.Option("--since", help="Written on or after, such as 2026-01-31 or 7 days ago.")] = "",
    until: Annotated[str, typer.Option("--until", help="Written on or before.")] = "",
    branch: Annotated[str, typer.Option("--branch", help="Show this line of thought too.")] = "",
    token_budget: Annotated[
        int, typer.Option("--token-budget", min=50, max=20_000, help="Most tokens of the reply.")
    ] = TOKENS,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Find memories as an agent would, without that counting as a review."""
    from firmmem.contract import Question
    from firmmem.dates.moments import parse_span
    from firmmem.render import replies

    settings, space = choose_file(db, namespace)
    now = time.time()
    earliest, latest = parse_span(since, until, now=now)
    question = Question(
        space,
        query=" ".join(query or ()).strip(),
        goal_id=goal,
        tags=tuple(tag or ()),
        tiers=parse_tiers(tier or ()),
        limit=limit,
        token_budget=token_budget,
        since=earliest,
        until=latest,
        branch=branch,
        include_archived=archived,
        explain=explain,
    )
    if not settings.db.exists():  # looking makes no file
        missing = f"Nothing is remembered here yet: {settings.db} does not exist."
        say_json({"namespace": space, "memories": [], "notes": [missing]}) if as_json else say(missing)
        return
    result = find_for_person(settings, question, now=now)
    if as_json:
        say_json(recalled_as_json(result, space))
    else:
        say(replies.render_recalled(result, question, prior_strength=settings.prior_strength, now=now))


def find_for_person(settings: "Settings", question: "Question", *, now: float) -> "Recalled":
    """Return the answer to a question, with the model where it is switched on."""
    from dataclasses import replace

    import anyio

    from firmmem.memory.recall.meaning import build_meaning
    from firmmem.memory.recall.recall import find

    meaning = build_meaning(settings) if question.query else None
    sought = anyio.run(meaning.sought, question.query) if meaning else None
    with open_for_reading(settings) as connection:
        result = find(connection, question, settings, sought, now=now)
    if meaning and meaning.off:
        return replace(result, notes=(*result.notes, f"found by words only: {meaning.off}"))
    return result


def recalled_as_json(result: "Recalled", namespace: str) -> dict[str, Any]:
    """Return an answer for programs: each memory with every factor of its score."""
    from firmmem.dates.moments import format_time

    memories = []
    for memory in result.memories:
        value = memory._asdict()
        times = {name: format_time(value[name]) for name in ("created_at", "reviewed_at")}
        finite = {"half_life": value["half_life"] if value["half_life"] < 1e300 else None}
        memories.append(value | times | finite | {"text": value["summary"], "tags": list(memory.tags)})
    left = {"left_out": result.left_out, "relevant": result.relevant}
    return {"namespace": namespace, "memories": memories, **left, "notes": list(result.notes)}
