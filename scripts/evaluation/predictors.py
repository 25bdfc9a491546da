"""Ways to tell from past use alone what is used next: the plain ones, and RFM as the product computes it."""

from collections.abc import Callable
from math import exp
from typing import Protocol

from evaluation.sets import DAY
from firmmem import scoring
from firmmem.contract import Tier
from firmmem.memory.life.review import remaining, review
from firmmem.memory.rows.ranking_keys import Life
from firmmem.settings import Settings


class Predictor(Protocol):
    """One way to tell from past use what is used next."""

    def use(self, path: str, at: float) -> None:
        """Learn that a path was used at a time, in seconds."""

    def score(self, path: str, now: float) -> float:
        """Return how likely a path is used next."""


class LastUse:
    """Whatever was used last comes first."""

    def __init__(self) -> None:
        self.used_at: dict[str, float] = {}

    def use(self, path: str, at: float) -> None:
        self.used_at[path] = at

    def score(self, path: str, now: float) -> float:
        return self.used_at[path] - now


class FixedExponential(LastUse):
    """exp(−age/τ) of the last use, which no τ ranks otherwise than the last use itself."""

    def __init__(self, days: float) -> None:
        super().__init__()
        self.days = days

    def score(self, path: str, now: float) -> float:
        return exp(super().score(path, now) / DAY / self.days)


class BaseLevel:
    """ACT-R's base level, Σ age^−d over all uses (Anderson and Schooler 1991)."""

    def __init__(self, d: float) -> None:
        self.d = d
        self.uses: dict[str, list[float]] = {}

    def use(self, path: str, at: float) -> None:
        self.uses.setdefault(path, []).append(at)

    def score(self, path: str, now: float) -> float:
        return sum(((now - at) / DAY) ** -self.d for at in self.uses[path])


class DecayedCount:
    """Σ exp(−age/τ) over all uses; the sum of several with more than one τ."""

    def __init__(self, *days: float) -> None:
        self.days = days
        self.counts: dict[str, tuple[float, list[float]]] = {}

    def use(self, path: str, at: float) -> None:
        self.counts[path] = (at, [count + 1.0 for count in self.left(path, at)])

    def score(self, path: str, now: float) -> float:
        return sum(self.left(path, now))

    def left(self, path: str, now: float) -> list[float]:
        last, counts = self.counts.get(path, (now, [0.0] * len(self.days)))
        return [count * exp((last - now) / DAY / days) for count, days in zip(counts, self.days, strict=True)]


class FirmMem:
    """RFM of a memory with the product's defaults: its first use writes it, every other is a recall that finds it."""

    def __init__(self, tier: Tier, gate: float) -> None:
        self.tier, self.gate = tier, gate
        self.settings = Settings.model_construct()
        self.lives: dict[str, Life] = {}

    def use(self, path: str, at: float) -> None:
        life = self.lives.get(path)
        if life is None:
            self.lives[path] = Life(self.tier, 1.0, 1.0, 0.0, 0, 1.0, at)
        else:
            self.lives[path] = review(life, self.settings, at=at, gate=self.gate) or life

    def score(self, path: str, now: float) -> float:
        life = self.lives[path]
        return scoring.rfm(remaining(life, self.settings, at=now), life.strength, life.importance)


ALL: dict[str, Callable[[], Predictor]] = {
    "last use": LastUse,
    "fixed exponential, 30 d": lambda: FixedExponential(30.0),
    "ACT-R base level, d = 0.5": lambda: BaseLevel(0.5),
    "ACT-R base level, d = 0.8": lambda: BaseLevel(0.8),
    "decayed count, 60 d": lambda: DecayedCount(60.0),
    "decayed count, 120 d": lambda: DecayedCount(120.0),
    "decayed counts, 7 d + 120 d": lambda: DecayedCount(7.0, 120.0),
    "FirmMem, drafts, no gate": lambda: FirmMem("draft", gate=1.0),
    "FirmMem, drafts": lambda: FirmMem("draft", scoring.REVIEW_GATE),
    "FirmMem, validated, no gate": lambda: FirmMem("validated", gate=1.0),
    "FirmMem, validated": lambda: FirmMem("validated", scoring.REVIEW_GATE),
    "FirmMem, strategic, no gate": lambda: FirmMem("strategic", gate=1.0),
    "FirmMem, strategic": lambda: FirmMem("strategic", scoring.REVIEW_GATE),
}
