import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.dates.moments import DAY, format_day, format_time, parse_span, span_of
from firmmem.errors import InvalidArgumentError

NOW = datetime(2026, 2, 2, 2, 40, tzinfo=UTC).timestamp()


def days(text: str) -> tuple[str, str]:
    first, after = span_of(text, now=NOW, name="since")
    return format_time(first), format_time(after)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026-01-31", "2026-01-31", "2026-02-01"),
        (" 2026/1/31 ", "2026-01-31", "2026-02-01"),
        ("2026.01.31", "2026-01-31", "2026-02-01"),
        ("20260131", "2026-01-31", "2026-02-01"),
        ("2026年1月31日", "2026-01-31", "2026-02-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2026-01", "2026-01-01", "2026-02-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("2026年1月", "2026-01-01", "2026-02-01"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("today", "2026-02-02", "2026-02-03"),
        ("Yesterday", "2026-02-01", "2026-02-02"),
        ("昨天", "2026-02-01", "2026-02-02"),
        ("Last Tuesday", "2026-01-27", "2026-01-28"),
        ("5 May", "2025-05-05", "2025-05-06"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("上周", "2026-01-26", "2026-02-02"),
        ("两周前", "2026-01-19", "2026-01-26"),
    ],
)
def test_a_day_a_month_and_a_year_are_spans(text: str, first: str, after: str) -> None:
    assert days(text) == (f"{first}T00:00:00Z", f"{after}T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "days_ago"),
    [
        ("7 days ago", 7), ("7d", 7), ("1 DAY", 1), ("a week ago", 7), ("last week", 7), ("2 weeks", 14),
        ("3 months ago", 90), ("last month", 30), ("1 year ago", 365), ("an hour ago", 1 / 24), ("12h", 0.5),
        ("30 minutes ago", 30 / 1440), ("90 seconds ago", 90 / DAY), ("7天前", 7), ("3个月前", 90),
        ("now", 0),
    ],
)  # fmt: skip
def test_a_time_ago_is_counted_from_now(text: str, days_ago: float) -> None:
    assert span_of(text, now=NOW, name="since")[0] == pytest.approx(NOW - days_ago * DAY)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"),
        ("2026-01-31 09:00", "2026-01-31T09:00:00Z"),
        ("2026-01-31T09:00:00+08:00", "2026-01-31T01:00:00Z"),
    ],
)
def test_a_time_without_a_zone_is_utc(text: str, moment: str) -> None:
    assert days(text)[0] == moment


def test_what_until_names_is_included() -> None:
    for text in ("2026-01-31", "2026-01-31T09:00:00Z", "now", "7 days ago", "today"):
        first, _ = span_of(text, now=NOW, name="since")
        earliest, latest = parse_span(text, text, now=NOW)
        assert earliest == first < latest


def test_nothing_said_bounds_nothing_and_the_end_of_the_calendar_is_never() -> None:
    assert parse_span("", "", now=NOW) == (-math.inf, math.inf)
    for forever in ("9999-12-31", "9999-12", "9999"):
        assert parse_span("", forever, now=NOW) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    "text", ["fifty", "1 parsec ago", "2026-13-01", "2026-02-30", "0000-01-01", "-1", "days", "30m", "1.5.2", "\0"]
)
def test_what_names_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        parse_span("", text, now=NOW)
    assert str(caught.value) == (
        "Send until as a date such as 2026-01-31, a time such as 2026-01-31T09:00:00Z, or 7 days ago."
    )


@given(st.one_of(st.text(max_size=30), st.from_regex(r"\d{1,9} ?[a-z]{1,7}( ago)?", fullmatch=True)))
def test_any_text_is_a_span_or_refused(text: str) -> None:
    try:
        first, after = span_of(text, now=NOW, name="since")
    except InvalidArgumentError:
        return
    assert first < after


@given(st.floats(allow_nan=False))
def test_any_moment_can_be_told(moment: float) -> None:
    assert len(format_day(moment)) == 10
