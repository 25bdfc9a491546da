"""A score as text: each factor on a line with all its numbers, so that a pocket calculator can follow."""

from collections.abc import Iterator

from firmmem import scoring
from firmmem.dates.moments import format_day, format_time
from firmmem.memory.recall.explain import Explanation

DAY = 86_400.0


def explain_lines(of: Explanation, *, now: float) -> str:
    """Return every factor of a score, how it comes about, and the product."""
    return "\n".join(
        [head_line(of), f"time used: {format_time(now)}", *factor_lines(of, now=now), product_line(of), *rank_lines(of)]
    )


def head_line(of: Explanation) -> str:
    """Return what is explained."""
    memory = of.memory
    state = "" if memory.state == "active" else f", {memory.state}"
    return f"#{memory.id} {memory.tier}{state}, written {format_day(memory.created_at)}: {memory.summary}"


def factor_lines(of: Explanation, *, now: float) -> Iterator[str]:
    """Yield a line for each factor."""
    yield from rfm_lines(of, now=now) if of.memory.tier != "core" else ("RFM = 1: a core fact never fades",)
    yield from trust_lines(of)
    yield alignment_line(of)
    yield from relevance_lines(of)


def rfm_lines(of: Explanation, *, now: float) -> Iterator[str]:
    """Yield how RFM comes about."""
    memory = of.memory
    age = max(0.0, now - memory.reviewed_at) / DAY
    since = "last review" if memory.recall_count else "writing"
    yield f"recency = {age:.6f} days since the {since}, {format_time(memory.reviewed_at)}"
    if now < memory.reviewed_at:
        yield "  (the time lies before that: an age below zero counts as zero)"
    yield (
        f"effective half-life = {of.base_half_life:g} × (1 + {of.consolidation_base:g} × consolidation"
        f" {memory.consolidation:.6f} × recall_count {memory.recall_count}) = {of.half_life:.6f} days"
    )
    yield f"decay = exp(−{age:.6f} / {of.half_life:.6f}) = {memory.decay:.6f}"
    used = scoring.frequency(memory.strength)
    yield f"F = S / ({scoring.STRENGTH_HALF:g} + S) with S = {memory.strength:.6f}: {used:.6f}"
    yield f"M = importance: {scoring.worth(memory.importance):.6f}"
    yield f"RFM = decay × F × M = {memory.rfm:.6f}"


def trust_lines(of: Explanation) -> Iterator[str]:
    """Yield where the trust comes from."""
    votes = "1 vote that counts" if of.votes == 1 else f"{of.votes} votes that count"
    how = f"{of.initial_trust:g} at first, {votes} (firmmem trust {of.memory.id})"
    yield f"Trust = {of.memory.trust:.6f}: " + (how if of.memory.tier != "core" else "a core fact's is 1, always")


def alignment_line(of: Explanation) -> str:
    """Return how the memory serves the goal asked about."""
    own = f"the memory serves {of.memory.goal!r}" if of.memory.goal else "the memory serves no goal"
    if not of.goal:
        return "StrategyAlign = 1: no goal is asked about"
    return f"StrategyAlign = {of.memory.alignment:g}: {of.goal!r} is asked about, {own}"


def relevance_lines(of: Explanation) -> Iterator[str]:
    """Yield how well the memory matches the query."""
    memory = of.memory
    if not of.query:
        yield "SemanticSim = 1: there is no query"
    elif not memory.relevance:
        yield f"SemanticSim = 0: it shares nothing with {of.query!r} that is looked for"
    elif memory.meaning is None:
        yield words_line(of)
    else:
        share = scoring.WORDS_SHARE
        here = f"{share:g} × words {memory.words_relevance:.6f} + {1 - share:g} × meaning {memory.meaning:.6f}"
        if abs(scoring.fuse_relevance(memory.words_relevance, memory.meaning, 0) - memory.relevance) > 1e-9:
            here = f"meaning {memory.meaning:.6f} + {scoring.FOREIGN_WORDS:g} × words {memory.words_relevance:.6f}"
            here += ", at most 1," if memory.relevance == 1.0 else ""
        yield f"SemanticSim = {here} = {memory.relevance:.6f} for {of.query!r}"


def words_line(of: Explanation) -> str:
    """Return how the words of a memory, and of what was written beside it, make its relevance."""
    own, all_in_all = of.memory.words_relevance, of.memory.relevance
    said = f"{own:.6f} of the best match with {of.query!r} by words (BM25)"
    if all_in_all <= own:
        return f"SemanticSim = {said}"
    ceiling = scoring.CONTEXT_CEILING
    lift = (all_in_all - own) / (ceiling - own)
    lifted = f"{own:.6f} + {lift:.6f} × ({ceiling:g} − {own:.6f}) = {all_in_all:.6f}"
    return f"SemanticSim = {lifted}: {said}, lifted by what was written just before and after"


def product_line(of: Explanation) -> str:
    """Return the score as a product of the numbers above."""
    memory, strength = of.memory, of.prior_strength
    named = (("RFM", memory.rfm), ("Trust", memory.trust), ("StrategyAlign", memory.alignment))
    if strength == 1.0:
        names = " × ".join(["SemanticSim", *(name for name, _ in named)])
        numbers = " × ".join([f"{memory.relevance:.6f}", *(f"{value:.6f}" for _, value in named)])
        return f"FinalScore = {names} = {numbers} = {memory.score:.6f}"
    kept = f"{1 - strength:g} + {strength:g} × "
    names = " × ".join(["SemanticSim", *(f"({kept}{name})" for name, _ in named)])
    values = (scoring.bound_factor(value, strength) for _, value in named)
    numbers = " × ".join([f"{memory.relevance:.6f}", *(f"{value:.6f}" for value in values)])
    return f"FinalScore = {names} = {numbers} = {memory.score:.6f} with prior strength {strength:g}"


def rank_lines(of: Explanation) -> Iterator[str]:
    """Yield where that puts the memory."""
    among = "the answer" if of.query else of.memory.tier
    if of.memory.state == "quarantined":
        yield "It is in quarantine: no recall tells it."
    elif of.rank:
        away = "" if of.memory.state == "active" else ", where the archive is searched"
        yield f"That is place {of.rank} of {among}{away}."
    elif not of.query or of.memory.relevance:
        yield f"That is no place among the first {of.looked} of {among}."
    if of.memory.branch:
        yield f"It belongs to branch {of.memory.branch!r}: only a recall that names it tells it."
