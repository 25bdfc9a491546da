"""How strongly age and trust may weigh beside relevance: what each strength of the prior costs, and what it orders."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from documents import table

from evaluation import asking, tool
from evaluation.measures import Answer, difference, mean, ties
from evaluation.report import interval, share
from evaluation.tasks import Task

STRENGTHS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
EXPLAINED = {"explain": True, "token_budget": 20_000}  # every factor is told, and no floor or budget hides a memory
CLOSE = 0.05  # the share by which the relevance of two memories may differ that are close
EQUAL = 1e-4  # as it is printed
COLUMNS = ("s", "R@5", "R@10", "R@10 less that of s = 0 (95 %)", "equal", "close")

INTRO = """\
`python scripts/evaluate.py prior DATA`: every question asked with `explain=true` at each strength s. Memories are dated
as the sets date them, and a third of them was voted on through `firmmem_memory_feedback` from several sessions, so that
their trust is anywhere from .2 to .95. *Equal*: of pairs among the first ten whose relevance is the same and whose
RFM × trust is not, how many have the firmer one first; *close*: the same for pairs whose relevance differs by at
most 5 %."""


def over_strengths(task: Task, folder: Path) -> str:
    """Return the table of one set, whose memories were voted on."""
    collections = task.collections
    ids, settings = asking.written(collections, folder)
    settings = asking.voted(collections, ids, settings)
    answers = {}
    for strength in STRENGTHS:
        own = settings.model_copy(update={"prior_strength": strength})
        way = tool.Way(f"{task.title}, s = {strength:g}", own, arguments=EXPLAINED)
        answers[strength] = asking.asked(collections, ids, way)
    return table(COLUMNS, rows_of(answers, capped=task.capped))


def rows_of(answers: dict[float, list[Answer]], *, capped: bool) -> Iterator[list[str]]:
    for strength, found in answers.items():
        recalls = [share(mean([each.recall(k, capped=capped) for each in found])) for k in (5, 10)]
        lost = difference(found, answers[0.0], lambda each: each.recall(10, capped=capped))
        firmer_first = [told(ties(found, within)) for within in (EQUAL, CLOSE)]
        yield [f"{strength:g}", *recalls, interval(lost), *firmer_first]


def told(found: tuple[int, float]) -> str:
    count, firmer_first = found
    return f"{firmer_first:.0%} of {count:,}" if count else "–"


def text(tables: Sequence[tuple[str, str]]) -> str:
    """Return what the tables show, and each under its set's title."""
    return "\n\n".join(["### The prior's strength", INTRO, *(f"{title}:\n\n{each}" for title, each in tables)])
