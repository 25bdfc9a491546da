"""The laws of the maths, for all numbers."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from firmmem import scoring
from firmmem.memory.trust.votes import fold_votes
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection

shares = st.floats(0, 1)
days = st.floats(0, 36_500)
half_lives = st.floats(0.01, 1e6)
counts = st.integers(0, 10_000)
strengths = st.floats(0, 1e4)
anything = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(2**63), 2**63 - 1),
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    st.binary(),
)


@given(days, half_lives)
def test_decay_lies_within_0_and_1(age: float, half_life: float) -> None:
    assert 0 <= scoring.decay(age, half_life) <= 1
    assume(age / half_life < 700)  # beyond, a float holds nothing smaller
    assert scoring.decay(age, half_life) > 0


@given(days, days, half_lives)
def test_decay_falls_with_age(age: float, more: float, half_life: float) -> None:
    assert scoring.decay(age + more, half_life) <= scoring.decay(age, half_life)


@given(st.floats(max_value=0, allow_nan=False), half_lives)
def test_a_negative_age_counts_as_zero(age: float, half_life: float) -> None:
    assert scoring.decay(age, half_life) == 1


@given(days, half_lives, shares, shares, counts, counts, st.floats(0, 100))
def test_decay_rises_with_reviews_and_consolidation(
    age: float, base: float, consolidation: float, other: float, count: int, more: int, consolidation_base: float
) -> None:
    def left(consolidation: float, count: int) -> float:
        return scoring.decay(age, scoring.effective_half_life(base, consolidation, count, consolidation_base))

    assert left(consolidation, count + more) >= left(consolidation, count)
    assert left(max(consolidation, other), count) >= left(min(consolidation, other), count)


def test_after_one_half_life_36_8_percent_are_left_and_half_after_0_69_of_it() -> None:
    assert scoring.decay(7, 7) == pytest.approx(0.368, abs=5e-4)
    assert scoring.decay(7 * 0.6931, 7) == pytest.approx(0.5, abs=1e-4)
    assert scoring.effective_half_life(7, 0.5, 4, 0.5) == 7 * (1 + 0.5 * 0.5 * 4)


@given(days, shares, counts)
def test_core_never_decays(age: float, consolidation: float, count: int) -> None:
    assert scoring.decay(age, scoring.effective_half_life(math.inf, consolidation, count, 0.5)) == 1


@given(half_lives, st.floats(0.001, 1))
def test_a_memory_has_faded_to_what_is_asked_after_its_fading_days(half_life: float, left: float) -> None:
    assert scoring.decay(scoring.fading_days(half_life, left), half_life) == pytest.approx(left)


@given(strengths, strengths)
def test_frequency_rises_with_use_flattens_and_stays_below_1(strength: float, more: float) -> None:
    assert 0 <= scoring.frequency(strength) <= scoring.frequency(strength + more) < 1
    gained = scoring.frequency(strength + 1) - scoring.frequency(strength)
    assert gained >= scoring.frequency(strength + 2) - scoring.frequency(strength + 1)


@given(strengths, days, days)
def test_a_review_strengthens_less_the_longer_the_one_before_is_ago(strength: float, age: float, more: float) -> None:
    assert 1 <= scoring.strengthen(strength, age + more) <= scoring.strengthen(strength, age) <= strength + 1


@given(st.floats(0.01, 100), st.floats(0, 1000), st.floats(0, 1000), st.floats(1, 1e4), shares)
def test_ln_rfm_is_linear_in_time_between_reviews(
    half_life: float, first: float, second: float, strength: float, importance: float
) -> None:
    assume(max(first, second) / half_life < 600)

    def log_rfm(age: float) -> float:
        return math.log(scoring.rfm(scoring.decay(age, half_life), strength, importance))

    middle = log_rfm((first + second) / 2)
    assert middle == pytest.approx((log_rfm(first) + log_rfm(second)) / 2, rel=1e-9, abs=1e-9)
    assert log_rfm(first) == pytest.approx(log_rfm(0) - first / half_life, rel=1e-9, abs=1e-9)


@given(shares, shares, shares, shares, shares)
def test_final_score_lies_within_0_and_1_and_rises_with_every_factor(
    rfm: float, trust: float, alignment: float, relevance: float, prior_strength: float
) -> None:
    score = scoring.final_score(rfm, trust, alignment, relevance, prior_strength)
    assert 0 <= score <= 1
    assert scoring.final_score(1, trust, alignment, relevance, prior_strength) >= score
    assert scoring.final_score(rfm, 1, alignment, relevance, prior_strength) >= score
    assert scoring.final_score(rfm, trust, 1, relevance, prior_strength) >= score
    assert scoring.final_score(rfm, trust, alignment, 1, prior_strength) >= score


@given(shares, shares, shares, shares)
def test_at_full_prior_strength_final_score_is_the_plain_product(
    rfm: float, trust: float, alignment: float, relevance: float
) -> None:
    score = scoring.final_score(rfm, trust, alignment, relevance, 1)
    assert score == pytest.approx(rfm * trust * alignment * relevance)


@given(st.floats(0, 0.99), st.floats(0.001, 1), st.tuples(shares, shares, shares), st.tuples(shares, shares, shares))
def test_no_prior_outweighs_more_than_one_part_in_b_of_relevance(
    prior_strength: float, relevance: float, mine: tuple[float, ...], theirs: tuple[float, ...]
) -> None:
    less = relevance * scoring.prior_bound(prior_strength) / (1 + 1e-9)
    better = scoring.final_score(*mine, relevance, prior_strength)
    assert better >= scoring.final_score(*theirs, less, prior_strength)


@given(shares, shares, st.floats(0, 10), st.floats(0, 10))
def test_context_lifts_relevance_up_to_its_ceiling(relevance: float, other: float, support: float, more: float) -> None:
    lifted = scoring.lift_by_context(relevance, support)
    assert relevance <= lifted <= max(relevance, scoring.CONTEXT_CEILING)
    assert scoring.lift_by_context(relevance, 0) == relevance
    assert scoring.lift_by_context(relevance, max(support, more)) >= lifted
    assert scoring.lift_by_context(max(relevance, other), support) >= lifted - 1e-12


def test_by_default_no_context_age_or_trust_outranks_the_best_match() -> None:
    assert scoring.prior_bound(Settings.model_fields["prior_strength"].default) > scoring.CONTEXT_CEILING


@given(st.integers(0, 9), st.integers(0, 9), shares)
def test_alignment_is_full_for_the_goal_asked_about_and_when_none_is(goal: int, asked: int, other: float) -> None:
    expected = 1 if asked in (0, goal) else other
    assert scoring.alignment(goal, asked, other) == expected


deltas = st.tuples(st.floats(0.01, 0.98), st.floats(0.01, 0.98)).map(sorted).filter(lambda pair: pair[0] < pair[1])
votes = st.lists(st.sampled_from(["positive", "negative"]), max_size=12)


@given(shares, votes, deltas)
def test_trust_stays_within_0_and_1(trust: float, outcomes: list[str], pair: list[float]) -> None:
    for outcome in [*outcomes, "verified"]:
        trust = scoring.update_trust(trust, outcome, *pair)
        assert 0 <= trust <= 1
    assert trust >= scoring.VERIFIED_TRUST


@given(shares, st.lists(st.sampled_from(["positive", "negative", "verified"]), min_size=1, max_size=12), st.data())
def test_a_better_vote_never_lowers_the_trust_that_results(initial: float, outcomes: list[str], data: Any) -> None:
    position = data.draw(st.integers(0, len(outcomes) - 1))
    choices = Settings()
    results = []
    for outcome in ("negative", "positive", "verified"):
        changed = [*outcomes[:position], outcome, *outcomes[position + 1 :]]
        results.append(fold_votes(initial, changed, choices))
    assert results[0] <= results[1] + 1e-12
    assert results[1] <= results[2] + 1e-12


@given(st.floats(0.3, 1), st.sampled_from([("positive", "negative"), ("negative", "positive")]))
def test_from_0_3_on_a_pair_of_one_positive_and_one_negative_ends_lower(trust: float, pair: tuple[str, str]) -> None:
    assert fold_votes(trust, pair, Settings()) < trust


@given(shares, shares, shares)
def test_a_review_consolidates_more_the_nearer_to_forgotten(consolidation: float, left: float, other: float) -> None:
    near, far = sorted([left, other])
    after = scoring.consolidate(consolidation, far)
    assert consolidation <= after <= scoring.consolidate(consolidation, near) <= 1
    assert scoring.consolidate(consolidation, 1) == consolidation


@given(half_lives)
def test_an_octave_holds_its_half_life(half_life: float) -> None:
    octave = scoring.octave(half_life)
    assert 2.0**octave <= half_life < 2.0 ** (octave + 1)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder: Path = tmp_path_factory.mktemp("scoring")
    opened = open_connection(Settings(db=folder / "firmmem.db"))
    yield opened
    opened.close()


REGISTERED = {name: arity for name, (arity, _) in scoring.SQL_FUNCTIONS.items()} | {
    "effective_half_life": 3,
    "by_person": 0,
    "exp": 1,
    "ln": 1,
    "pow": 2,
}
SHARED = given_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@SHARED
@given(st.sampled_from(sorted(REGISTERED)), st.tuples(*[anything] * 12))
def test_every_function_that_sql_calls_gives_a_value_or_null_for_anything(
    connection: Connection, name: str, values: tuple[Any, ...]
) -> None:
    arity = REGISTERED[name]
    call = f"SELECT {name}({', '.join('?' * arity)})"
    [result] = connection.execute(call, values[:arity]).fetchone()
    assert result is None or not math.isnan(result)


@SHARED
@given(st.sampled_from(sorted(scoring.SQL_FUNCTIONS)), st.tuples(*[st.floats(0, 1e4)] * 5))
def test_sql_and_python_agree(connection: Connection, name: str, values: tuple[float, ...]) -> None:
    arity, function = scoring.SQL_FUNCTIONS[name]
    [result] = connection.execute(f"SELECT {name}({', '.join('?' * arity)})", values[:arity]).fetchone()
    assert result == function(*values[:arity])


@SHARED
@given(st.sampled_from(["draft", "validated", "strategic"]), shares, counts)
def test_sql_knows_the_half_life_of_every_tier(
    connection: Connection, tier: str, consolidation: float, count: int
) -> None:
    base = {"draft": 7.0, "validated": 60.0, "strategic": 365.0}[tier]
    [result] = connection.execute("SELECT effective_half_life(?, ?, ?)", (tier, consolidation, count)).fetchone()
    assert result == scoring.effective_half_life(base, consolidation, count, 0.5)
    [core] = connection.execute("SELECT effective_half_life('core', ?, ?)", (consolidation, count)).fetchone()
    assert core == math.inf


@given(st.floats(0, 1), st.floats(0, 1), st.none() | st.floats(-1, 1), st.integers(0, 10**6), st.booleans())
def test_a_better_match_makes_an_answer_likelier(
    covered: float, more: float, near: float | None, size: int, chinese: bool
) -> None:
    def chance(share: float, closer: float = 0.0, **prompt: Any) -> float:
        cosine = None if near is None else near + closer
        return scoring.answer_chance(share, cosine, 0.05, size, chinese=chinese, **prompt)

    assert 0.0 < chance(covered) < 1.0
    assert chance(covered) <= chance(covered + more)
    assert chance(covered) <= chance(covered, closer=more)
    assert chance(covered, stated=True) < chance(covered)
    assert chance(covered, rivals=3) < chance(covered)
