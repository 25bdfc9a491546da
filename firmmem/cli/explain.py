"""`firmmem explain` and `firmmem curve`: why a memory ranks where it does, and how it fades."""

import time
from pathlib import Path
from typing import Annotated

import typer

from firmmem.cli.core import open_for_reading, parse_id, require_file
from firmmem.cli.terminal import Db, Json, Namespace, choose_file, fail, remark, say, say_json

Id = Annotated[str, typer.Argument(metavar="ID", help="As a recall shows it.")]
At = Annotated[str, typer.Option("--at", help="The time, such as 2026-01-31T09:00:00Z; without it, now.")]


def explain(
    memory_id: Id,
    at: At = "",
    query: Annotated[str, typer.Option("--query", help="Explain its score for this query.")] = "",
    goal: Annotated[str, typer.Option("--goal", help="Explain it for this goal.")] = "",
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show every factor of a memory's score with all its numbers, at any time."""
    import anyio

    from firmmem.contract import Question
    from firmmem.dates.moments import format_time
    from firmmem.memory.recall.explain import explain_score as explained
    from firmmem.memory.recall.meaning import build_meaning
    from firmmem.render.explanation import explain_lines
    from firmmem.render.rows import value_as_json

    settings, space = choose_file(db, namespace)
    require_file(settings)
    number, now = parse_id(memory_id, "firmmem recall"), parse_moment(at)
    question = Question(space, query=query.strip(), goal_id=goal, explain=True)
    meaning = build_meaning(settings) if question.query else None
    sought = anyio.run(meaning.sought, question.query) if meaning else None
    with open_for_reading(settings) as connection:
        explanation = explained(connection, number, question, settings, sought, now=now)
    if as_json:
        say_json(value_as_json(explanation) | {"at": format_time(now)})
        return
    say(explain_lines(explanation, now=now))
    if meaning and meaning.off:
        say(f"note: by words only: {meaning.off}")


def parse_moment(text: str) -> float:
    """Return the moment that a person named, this one where they named none."""
    from firmmem.dates.moments import span_of

    now = time.time()
    return span_of(text, now=now, name="at")[0] if text.strip() else now


def curve(
    memory_id: Id,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw it into this file.")] = None,
    at: At = "",
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show how a memory fades: its reviews, what is left today, and the forecast; `--svg` draws the curve."""
    from firmmem.memory.life.lifeline import read_lifeline
    from firmmem.render.curve import draw_curve, life_in_words
    from firmmem.render.rows import value_as_json

    settings, space = choose_file(db, namespace)
    require_file(settings)
    with open_for_reading(settings) as connection:
        line = read_lifeline(
            connection, parse_id(memory_id, "firmmem recall"), settings, namespace=space, now=parse_moment(at)
        )
    if as_json:
        say_json(value_as_json(line))
    else:
        say(life_in_words(line))
    if svg is None:
        return
    if line.tier == "core":
        fail("there is no curve to draw: a core fact never fades.")
    try:
        svg.write_text(draw_curve(line), encoding="utf-8", newline="\n")
    except OSError as error:
        fail(f"{svg} can't be written: {error.strerror}.")
    remark(f"drawn into {svg}") if as_json else say(f"drawn into {svg}")
