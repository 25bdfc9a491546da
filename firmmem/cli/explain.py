"""`firmmem explain` and `firmmem curve`: why a memory ranks where it does, and how it fades."""

import time
from pathlib import Path
from typing import Annotated

import typer

from firmmem.cli.core import id_of, must_exist, reading
from firmmem.cli.terminal import Db, Namespace, chosen, fail, say

Id = Annotated[str, typer.Argument(metavar="ID", help="As a recall shows it.")]
At = Annotated[str, typer.Option("--at", help="The time, such as 2026-01-31T09:00:00Z; without it, now.")]


def explain(
    memory_id: Id,
    at: At = "",
    query: Annotated[str, typer.Option("--query", help="Explain its score for this query.")] = "",
    goal: Annotated[str, typer.Option("--goal", help="Explain it for this goal.")] = "",
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show every factor of a memory's score with all its numbers, at any time."""
    import anyio

    from firmmem.contract import Question
    from firmmem.memory.recall.explain import explain as explained
    from firmmem.memory.recall.meaning import meaning_of
    from firmmem.render.explanation import explanation

    settings, space = chosen(db, namespace)
    must_exist(settings)
    number, now = id_of(memory_id, "firmmem recall"), moment(at)
    question = Question(space, query=query.strip(), goal_id=goal, explain=True)
    meaning = meaning_of(settings) if question.query else None
    sought = anyio.run(meaning.sought, question.query) if meaning else None
    with reading(settings) as connection:
        say(explanation(explained(connection, number, question, settings, sought, now=now), now=now))
    if meaning and meaning.off:
        say(f"note: by words only: {meaning.off}")


def moment(text: str) -> float:
    """Return the moment that a person named, this one where they named none."""
    from firmmem.dates.moments import span

    now = time.time()
    return span(text, now=now, name="at")[0] if text.strip() else now


def curve(
    memory_id: Id,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw it into this file.")] = None,
    at: At = "",
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show how a memory fades: its reviews, what is left today, and the forecast; `--svg` draws the curve."""
    from firmmem.memory.life.lifeline import lifeline
    from firmmem.render.curve import drawn, told

    settings, space = chosen(db, namespace)
    must_exist(settings)
    with reading(settings) as connection:
        line = lifeline(connection, id_of(memory_id, "firmmem recall"), settings, namespace=space, now=moment(at))
    say(told(line))
    if svg is None:
        return
    if line.tier == "core":
        fail("there is no curve to draw: a core fact never fades.")
    try:
        svg.write_text(drawn(line), encoding="utf-8", newline="\n")
    except OSError as error:
        fail(f"{svg} can't be written: {error.strerror}.")
    say(f"drawn into {svg}")
