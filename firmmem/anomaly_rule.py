"""The rule that finds what is statistically wrong among trusts, as pure functions of numbers.

The plain rule, "outside mean ± 3σ", has three faults: with fewer than 11 values it can never fire, since no z exceeds
(n − 1) / √n; a tenth of bad values widens σ until it hides itself; and where most values are equal it flags good ones.
So there are two faces, mean and σ, and median and scaled median deviation (MAD), which a tenth of bad values can't
widen; at least 20 values; and a floor above which nothing is an anomaly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import median

LEAST = 20  # values, below which no rule is applied
CONSISTENT = 1.4826  # × MAD estimates σ of normal values
NARROWEST = 0.05  # the least median deviation: where most values are equal it would be 0
ROBUST = 3.5 / 3.0  # the median's limit as a multiple of the mean's (3.5: Iglewicz and Hoaglin, 1993)
FLOOR = 0.35  # trust from which nothing is set aside: one vote against a draft leads here, not below
FEW, SHARE = 3, 0.2  # more than this at once is no outlier but an attack, or a store that is like that
SUDDEN = 0.25  # the change of trust within days that is sudden
DEFAULT_THRESHOLD = 3.0


@dataclass(frozen=True)
class Face:
    """One way to say where values lie, and how far from there a value is, in spreads."""

    name: str
    centre: float
    spread: float
    limit: float

    def distance(self, value: float) -> float:
        """Return how many spreads a value is above the centre; 0 where all values are equal."""
        return (value - self.centre) / self.spread if self.spread > 0 else 0.0


@dataclass(frozen=True)
class Figures:
    """What some values are like, by both faces."""

    n: int
    mean: Face
    median: Face

    def low(self, value: float) -> Face | None:
        """Return the face by which a value is too low, if it is by one."""
        return next((face for face in self._faces() if face.distance(value) < -face.limit), None)

    def high(self, value: float) -> Face | None:
        """Return the face by which a value is too high, if it is by one."""
        return next((face for face in self._faces() if face.distance(value) > face.limit), None)

    def _faces(self) -> tuple[Face, ...]:
        return (self.mean, self.median) if self.n >= LEAST else ()


def compute_figures(values: Sequence[float], threshold: float = DEFAULT_THRESHOLD) -> Figures:
    """Return what values are like; `threshold` is the distance from the mean, in σ, that is too far."""
    n = len(values)
    mean = fsum(values) / n if n else 0.0
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / n) if n else 0.0
    middle = median(values) if n else 0.0
    scatter = CONSISTENT * median(abs(value - middle) for value in values) if n else 0.0
    return Figures(
        n,
        Face("mean", mean, deviation, threshold),
        Face("median", middle, max(scatter, NARROWEST), threshold * ROBUST),
    )


def find_outliers(values: Sequence[float], threshold: float = DEFAULT_THRESHOLD) -> list[int]:
    """Return the places of the trusts that are too low; the caller checks with `too_many` whether to believe it."""
    like = compute_figures(values, threshold)
    return [place for place, value in enumerate(values) if value < FLOOR and like.low(value)]


def too_many(count: int, n: int) -> bool:
    """Return whether so many of n values would be set aside that none should be, and a person must decide."""
    return count > max(FEW, SHARE * n)


def sudden_change(threshold: float = DEFAULT_THRESHOLD) -> float:
    """Return the change of trust within days that counts as sudden."""
    return min(1.0, SUDDEN * threshold / DEFAULT_THRESHOLD)


def outside_three_sigma(values: Sequence[float], threshold: float = DEFAULT_THRESHOLD) -> list[int]:
    """Return the places of the values outside mean ± 3σ: the plain rule, to compare with."""
    mean = compute_figures(values, threshold).mean
    return [place for place, value in enumerate(values) if abs(mean.distance(value)) > threshold]
