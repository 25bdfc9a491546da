"""The maths of a memory's life, as pure functions of numbers. Time is in days, ages below zero count as zero.

Forgetting follows Ebbinghaus (1885) as an exponential whose half-life grows with spaced use:
`decay = exp(-recency / effective_half_life)`. With no other constant in it, 36.8 % is left after one
effective half-life and 50 % after 0.69 of it.

The functions in `SQL_FUNCTIONS` are registered on every connection, so that SQL calls what Python computes.
"""

import math
from collections.abc import Callable
from math import exp, inf, log, log10

STRENGTH_TIME = 120.0  # days in which a count of past reviews fades to 36.8 %; best on re-use histories
STRENGTH_HALF = 4.0  # the decayed count of reviews that F is one half at; best on re-use histories
CONSOLIDATION_GAIN = 0.3  # γ: the share of what is missing that a review of a forgotten memory adds
FORGOTTEN = 0.05  # a draft of which less than this is left is forgotten
REVIEW_GATE = 0.9  # a recall of a memory that has faded less than this is not a review
VERIFIED_TRUST = 0.7  # `verified` lifts trust at least to this
SMALLEST = 1e-300  # what 0 counts for in the ranking key, below every score that is not 0: ln(0) has no value
IMPORTANCE_FLOOR = 0.01  # importance 0 ranks last, and is still ranked

# How words and meaning make a relevance, and below what evidence nothing is relevant (see scripts/RESULTS.md).
WORDS_SHARE = 0.6  # of words in the relevance of a memory in the query's language; the rest is meaning
FOREIGN_WORDS = 0.5  # what words (names, numbers, dates) add to the meaning of one in another language
# The log odds that what was found for a clause answers it; fitted on questions about what is in a store and about what
# is not: the start, and what is added for the share of the asked words that the best match has, in all other languages
# and in Chinese, which is cut into pairs, fewer of which are ever met.
ANSWER, ANSWER_ZH, ANSWER_MEANING = -2.15, -2.45, -4.05
COVERED, COVERED_ZH, COVERED_MEANING = 5.1, 10.3, 2.48
NEAR, MARGIN = 4.22, 17.24  # for the nearest cosine, and for its distance from the fifth
FOREIGN = 0.4  # by which cosines with memories in another language are lower
USUAL_MARGIN = 0.03  # counts instead of the margin in a store too small to have one
WORDS_ALONE = 1.0  # less, where only words speak for an answer though the model is on
RIVALS = 5  # memories among which one must be near to stand out
SMALL_STORE = 0.4  # for each tenth of LARGE_STORE that a store has, in which words seldom meet by chance
SMALLEST_STORE, LARGE_STORE = 20, 600
STATED = 1.5  # less, for what is only said around a question
CROWDED = 0.05  # less, for each e-fold of questions in a prompt: one of many meets something by chance
RESEMBLANCE = 0.8  # what sharing all the telling words of the best matches adds to a relevance
RELIABLE = 0.3  # the share of what was asked from which on the best matches lend it in full
CONTEXT = (0.45, 0.3, 0.15)  # what the relevance of memories 1, 2 and 3 before and after lends to one's own
CONTEXT_MOST = 0.9  # of the way that they lift it in all
CONTEXT_CEILING = (
    0.72  # to which they lift it: below B at the default strength, so that no company buries the best match
)


def clamp_unit(value: float | None) -> float:
    """Return `value` held within 0..1; what is no number counts as 0."""
    if value is None or value != value:
        return 0.0
    return min(1.0, max(0.0, value))


def effective_half_life(
    base_half_life: float, consolidation: float, recall_count: float, consolidation_base: float
) -> float:
    """Return the half-life in days that a memory has earned by `recall_count` well-spaced reviews."""
    return base_half_life * (1.0 + consolidation_base * clamp_unit(consolidation) * max(0.0, recall_count))


def decay(recency_days: float | None, effective_half_life: float | None) -> float:
    """Return what is left of a memory, in 0..1, `recency_days` after its last review."""
    if recency_days is None or effective_half_life is None or not effective_half_life > 0:
        return 0.0
    if not recency_days > 0 or effective_half_life == inf:
        return 1.0
    return exp(-recency_days / effective_half_life)


def fading_days(effective_half_life: float, left: float = FORGOTTEN) -> float:
    """Return after how many days without a review a memory's decay falls to `left`."""
    return effective_half_life * log(1.0 / left)


def strengthen(strength: float, days: float) -> float:
    """Return the decayed count of reviews after one more, `days` after the gate opened to it.

    While the gate is closed use is not seen, so that what is not seen there must not weaken.
    """
    return strength * exp(-max(0.0, days) / STRENGTH_TIME) + 1.0


def frequency(strength: float | None) -> float:
    """Return F, the share in 0..1 that use gives: it rises with the decayed count of reviews and flattens."""
    return 1.0 - STRENGTH_HALF / (STRENGTH_HALF + max(0.0, strength or 0.0))


def worth(importance: float | None) -> float:
    """Return M, the share in (0, 1] that the importance given at writing gives."""
    return max(IMPORTANCE_FLOOR, clamp_unit(importance))


def rfm(decay: float | None, strength: float | None, importance: float | None) -> float:
    """Return recency × frequency × worth, in 0..1; its logarithm is linear in time between reviews."""
    return clamp_unit(decay) * frequency(strength) * worth(importance)


def alignment(goal: int | None, asked: int | None, other: float) -> float:
    """Return how well a memory of `goal` serves the goal `asked` about: 1, or `other` in 0..1."""
    return 1.0 if not asked or goal == asked else clamp_unit(other)


def fuse_relevance(words: float | None, meaning: float | None, foreign: int | None) -> float:
    """Return relevance, 0..1, from the shares of the best by words and by meaning; words alone without a vector."""
    if meaning is None:
        return clamp_unit(words)
    if foreign:
        return clamp_unit(clamp_unit(meaning) + FOREIGN_WORDS * clamp_unit(words))
    return WORDS_SHARE * clamp_unit(words) + (1.0 - WORDS_SHARE) * clamp_unit(meaning)


def lift_by_context(relevance: float | None, support: float | None) -> float:
    """Return relevance, 0..1, lifted towards `CONTEXT_CEILING` by what was written just before and after."""
    own = clamp_unit(relevance)
    lift = min(CONTEXT_MOST, max(0.0, support or 0.0))
    return own + lift * max(0.0, CONTEXT_CEILING - own)


def lift_by_resemblance(relevance: float, lifted: float) -> float:
    """Return a relevance, 0..1, with what it shares with the best matches: no more than context could lift it to."""
    return min(lifted, max(CONTEXT_CEILING, relevance))


def answer_chance(
    covered: float,
    near: float | None,
    margin: float,
    size: int,
    *,
    chinese: bool,
    stated: bool = False,
    rivals: int = 1,
) -> float:
    """Return the chance, 0..1, that what was found for a clause answers it.

    `covered` is the share of its words, by their rarity, that the best match has; `near` the nearest cosine, None
    without the model, and `margin` its distance from that of the fifth nearest; `size` how many memories there are.
    `stated` is what only stands around a question, `rivals` how many clauses of its kind the prompt has.
    """
    small = log10(LARGE_STORE / min(LARGE_STORE, max(SMALLEST_STORE, size)))
    odds = ANSWER_ZH + COVERED_ZH * covered if chinese else ANSWER + COVERED * covered
    odds += SMALL_STORE * small * (not chinese)
    if near is not None:
        known = min(1.0, size / SMALLEST_STORE)
        words = COVERED_MEANING * covered * (COVERED_ZH / COVERED if chinese else 1.0)
        meaning = NEAR * near + MARGIN * (known * margin + (1.0 - known) * USUAL_MARGIN)
        odds = max(odds - WORDS_ALONE, ANSWER_MEANING + words + meaning)
    odds -= STATED * stated + CROWDED * log(max(1, rivals))
    return 1.0 / (1.0 + exp(-odds))


def bound_factor(factor: float | None, prior_strength: float) -> float:
    """Return `factor` as it enters a query's score: between 1 − s and 1, with s = `prior_strength`."""
    return 1.0 - prior_strength + prior_strength * clamp_unit(factor)


def final_score(
    rfm: float | None,
    trust: float | None,
    alignment: float | None,
    relevance: float | None,
    prior_strength: float,
) -> float:
    """Return RFM × Trust × StrategyAlign × SemanticSim, in 0..1, the first three bounded by the prior's strength.

    Without a query `relevance` and `prior_strength` are 1: the plain product.
    """
    strength = clamp_unit(prior_strength)
    prior = bound_factor(rfm, strength) * bound_factor(trust, strength) * bound_factor(alignment, strength)
    return prior * clamp_unit(relevance)


def prior_bound(prior_strength: float) -> float:
    """Return B = (1 − s)³: a memory more than 1/B times as relevant as another never ranks below it."""
    return (1.0 - clamp_unit(prior_strength)) ** 3


def ranking_factor(strength: float, importance: float, trust: float) -> float:
    """Return F × M × trust: what of a score does not change with time, never 0."""
    return max(SMALLEST, frequency(strength) * worth(importance) * clamp_unit(trust))


def consolidate(consolidation: float, decay: float) -> float:
    """Return consolidation after a review: the nearer to forgotten, the more it gains (the spacing effect)."""
    return clamp_unit(consolidation + CONSOLIDATION_GAIN * (1.0 - consolidation) * (1.0 - clamp_unit(decay)))


def move_towards(value: float, outcome: str, pos: float, neg: float) -> float:
    """Return trust or consolidation after feedback: a share of what is left is gained, or of what is there lost."""
    if outcome == "negative":
        return clamp_unit(value - neg * value)
    return clamp_unit(value + pos * (1.0 - value))


def update_trust(trust: float, outcome: str, pos: float, neg: float) -> float:
    """Return trust after one vote, `positive`, `negative` or `verified`."""
    after = move_towards(trust, outcome, pos, neg)
    return max(VERIFIED_TRUST, after) if outcome == "verified" else after


def octave(half_life: float) -> int:
    """Return floor(log2) of a half-life in days: memories of one octave fade at about the same pace."""
    return math.frexp(half_life)[1] - 1


SQL_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "decay": (2, decay),
    "rfm": (3, rfm),
    "alignment": (3, alignment),
    "final_score": (5, final_score),
    "fused": (3, fuse_relevance),
    "worth": (1, worth),
    "bound_factor": (2, bound_factor),
}
