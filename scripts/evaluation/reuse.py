"""Re-use: each day of a history, everything seen earlier is ranked by what happened strictly before that day.

Gold is what of it is used on that day. Parameters are fitted on the earlier days and judged on the later ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from documents import table
from tqdm import tqdm

from evaluation.histories import History, Session
from evaluation.measures import Answer, mean
from evaluation.predictors import Predictor
from evaluation.report import share

FITTED, TESTED = (0.2, 0.6), (0.6, 1.0)  # shares of a history's active days


@dataclass(frozen=True)
class Figures:
    """What a predictor reaches on the same days of several histories: R@10 of each, and the means over them."""

    recalls: tuple[float, ...]
    recall: float
    area: float


@dataclass(frozen=True)
class Measured:
    """A predictor's figures on the days that parameters are fitted on, and on those that it is judged by."""

    fitted: Figures
    tested: Figures


def measured(name: str, new: Callable[[], Predictor], histories: Sequence[History]) -> Measured:
    """Replay every history through a new predictor."""
    replays = [replayed(history, new()) for history in tqdm(histories, desc=name, unit=" histories")]
    return Measured(*(figures([within(days, shares) for days in replays]) for shares in (FITTED, TESTED)))


def replayed(history: History, predictor: Predictor) -> list[Answer | None]:
    """Return the answer of each day, None of one that is too early or uses nothing seen before."""
    answers: list[Answer | None] = []
    for number, session in enumerate(history.sessions):
        late = number >= FITTED[0] * len(history.sessions)
        answers.append(answer(session, predictor) if late and session.gold else None)
        for path, at in session.accesses:
            predictor.use(path, at)
    return answers


def answer(session: Session, predictor: Predictor) -> Answer:
    """Rank a day's candidates; what scores the same stays in the order it was first seen in."""
    scores = {path: predictor.score(path, session.begins_at) for path in session.candidates}
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    ranks = tuple(rank for rank, path in enumerate(order, 1) if path in session.gold)
    return Answer("", ranks, len(ranks), len(order))


def within(days: Sequence[Answer | None], shares: tuple[float, float]) -> list[Answer]:
    first, end = (share * len(days) for share in shares)
    return [each for number, each in enumerate(days) if first <= number < end and each is not None]


def figures(histories: Sequence[Sequence[Answer]]) -> Figures:
    recalls = tuple(mean([each.recall(10, capped=True) for each in answers]) for answers in histories)
    areas = [mean([area(each) for each in answers if each.told > each.gold]) for answers in histories]
    return Figures(recalls, mean(recalls), mean(areas))


def area(answer: Answer) -> float:
    """Return the AUC: how often what is used ranks above what is not."""
    above = sum(rank - position for position, rank in enumerate(answer.ranks, 1))
    return 1.0 - above / (answer.gold * (answer.told - answer.gold))


def report(histories: Sequence[History], found: dict[str, Measured]) -> str:
    """Return the figures as a table."""
    header = ("R@10", *(history.name for history in histories), "mean", "AUC", "mean, fitting days")
    rows = []
    for name, each in found.items():
        numbers = (*each.tested.recalls, each.tested.recall, each.tested.area, each.fitted.recall)
        rows.append([name, *map(share, numbers)])
    return table(header, rows)
