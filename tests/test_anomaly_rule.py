"""The rule that finds what is statistically wrong, as mathematics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulate_anomalies import SHAPES, plain_rule, rule, simulate

from firmmem.anomaly_rule import (
    FLOOR,
    LEAST,
    compute_figures,
    find_outliers,
    outside_three_sigma,
    sudden_change,
    too_many,
)

TRUSTS = st.lists(st.floats(0, 1), max_size=60)


def test_the_plain_rule_cant_fire_below_eleven_values() -> None:
    for n in range(1, 11):
        assert outside_three_sigma([0.0] + [1.0] * (n - 1)) == []
    assert outside_three_sigma([0.0] + [1.0] * 10) == [0]


def test_a_tenth_of_bad_values_hides_itself_from_the_plain_rule_and_not_from_this_one() -> None:
    values = [0.05, 0.06, 0.04, 0.07] + [0.6, 0.65, 0.55, 0.7, 0.5, 0.62] * 6
    assert outside_three_sigma(values) == []
    assert find_outliers(values) == [0, 1, 2, 3]


def test_where_most_are_equal_a_small_difference_is_not_wrong() -> None:
    values = [0.45] + [0.5] * 30
    assert outside_three_sigma(values) == [0]
    assert find_outliers(values) == []


@pytest.mark.parametrize("n", [1, 5, 11, LEAST - 1])
def test_below_twenty_values_nothing_is_an_anomaly(n: int) -> None:
    assert find_outliers([0.0] + [0.9] * (n - 1)) == []
    assert find_outliers([0.0] + [0.9] * (LEAST - 1)) == [0]


@given(values=TRUSTS, threshold=st.floats(1, 10))
def test_nothing_at_or_above_the_floor_is_an_anomaly_and_nothing_above_the_centre(
    values: list[float], threshold: float
) -> None:
    like = compute_figures(values, threshold)
    for place in find_outliers(values, threshold):
        assert values[place] < FLOOR
        assert values[place] < like.mean.centre or values[place] < like.median.centre


@given(values=TRUSTS, threshold=st.floats(1, 9))
def test_a_higher_threshold_doubts_no_more(values: list[float], threshold: float) -> None:
    assert set(find_outliers(values, threshold + 1)) <= set(find_outliers(values, threshold))


@given(values=TRUSTS)
def test_the_order_of_the_values_does_not_matter(values: list[float]) -> None:
    assert sorted(values[place] for place in find_outliers(values)) == sorted(
        values[::-1][place] for place in find_outliers(values[::-1])
    )


@given(value=st.floats(0, 1), n=st.integers(1, 100))
def test_equal_values_are_never_anomalies(value: float, n: int) -> None:
    assert find_outliers([value] * n) == []


def test_the_figures_are_those_of_the_textbook() -> None:
    like = compute_figures([1, 2, 3, 4, 10])
    assert (like.n, like.mean.centre, like.median.centre) == (5, 4, 3)
    assert like.mean.spread == pytest.approx(10**0.5)
    assert like.median.spread == pytest.approx(1.4826)
    assert like.median.limit == pytest.approx(3.5)
    assert compute_figures([]).n == 0


def test_more_than_a_fifth_or_three_is_an_alert() -> None:
    assert [count for count in range(10) if not too_many(count, 5)] == [0, 1, 2, 3]
    assert not too_many(20, 100)
    assert too_many(21, 100)


def test_the_thresholds_scale_together() -> None:
    assert sudden_change(6) == 2 * sudden_change(3) == 0.5
    assert sudden_change(10) <= 1
    values = [0.3] + [0.65, 0.4, 0.6, 0.45] * 10
    assert find_outliers(values) == []
    assert find_outliers(values, 1.5) == [0]


@pytest.mark.parametrize("shape", [name for name in SHAPES if "camps" not in name])
@pytest.mark.parametrize("size", [20, 50, 200, 1000])
def test_of_a_tenth_of_bad_memories_most_are_caught_and_hardly_a_good_one(shape: str, size: int) -> None:
    runs = max(20, 6000 // size)
    seen = simulate(rule, SHAPES[shape], size, 0.1, runs=runs, seed=11)
    assert seen.caught >= 0.9
    assert seen.flagged <= 2.0
    clean = simulate(rule, SHAPES[shape], size, 0.0, runs=runs, seed=11)
    assert clean.flagged <= 2.0
    assert (seen.alerts, clean.alerts) == (0, 0)


@pytest.mark.parametrize("size", [20, 50, 200, 1000])
def test_the_plain_rule_catches_hardly_one_of_them(size: int) -> None:
    seen = simulate(plain_rule, SHAPES["normal, 0.6 ± 0.1"], size, 0.1, runs=max(20, 6000 // size), seed=11)
    assert seen.caught < 0.005  # a tenth of equal values lies at exactly 3 σ
    assert size == 20 or seen.caught == 0


def test_a_quarter_of_bad_memories_is_never_set_aside_wholesale() -> None:
    seen = simulate(rule, SHAPES["most at the default 0.5"], 200, 0.25, runs=20, seed=11)
    assert (seen.caught, seen.flagged, seen.alerts) == (0, 0, 1)
