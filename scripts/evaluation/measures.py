"""The measures: recall, hits and ranks of one way of asking, and how sure a difference of two ways is."""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

RESAMPLES = 2_000
SEED = 2018


@dataclass(frozen=True)
class Answer:
    """At which ranks (from 1) a question's gold was returned, out of how many, and what the reply held and cost."""

    category: str
    ranks: tuple[int, ...]
    gold: int
    told: int = 0
    tokens: int = 0
    seconds: float = 0.0
    factors: tuple[tuple[float, float], ...] = ()  # relevance and RFM × trust of what was returned, where explained

    def recall(self, k: int, *, capped: bool = False) -> float:
        """Return R@k; `capped` divides by no more than k."""
        return sum(rank <= k for rank in self.ranks) / (min(k, self.gold) if capped else self.gold)

    def hit(self, k: int) -> float:
        """Return 1 where some gold is among the first k."""
        return float(any(rank <= k for rank in self.ranks))

    def reciprocal(self) -> float:
        """Return one over the rank of the first gold, or 0."""
        return 1.0 / min(self.ranks) if self.ranks else 0.0


def ties(answers: Sequence[Answer], within: float) -> tuple[int, float]:
    """Return how many pairs of one reply differ in relevance by a share of at most `within`, and in RFM × trust at all.

    Beside it the share of them in which the one with the greater RFM × trust stands first.
    """
    pairs = [pair for each in answers for pair in combinations(each.factors, 2)]
    tied = [
        above > below
        for (first, above), (second, below) in pairs
        if abs(first - second) <= within * max(first, second) and above != below
    ]
    return len(tied), mean([float(firmer) for firmer in tied])


def mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def difference(
    ours: Sequence[Answer], theirs: Sequence[Answer], measure: Callable[[Answer], float]
) -> tuple[float, float, float]:
    """Return the mean difference and its 95 % interval by a paired bootstrap (Efron and Tibshirani 1993)."""
    deltas = [measure(mine) - measure(other) for mine, other in zip(ours, theirs, strict=True)]
    chance = random.Random(SEED)  # noqa: S311 - the same figures at every run
    means = sorted(mean(chance.choices(deltas, k=len(deltas))) for _ in range(RESAMPLES))
    return mean(deltas), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
