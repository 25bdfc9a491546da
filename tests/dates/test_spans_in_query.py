from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.dates.moments import format_day
from firmmem.dates.spans_in_query import MOST, find_spans, remove_date_phrases

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()  # a Monday


def spans(query: str) -> list[tuple[str, str]]:
    return [(format_day(span.first), format_day(span.after)) for span in find_spans(query, now=NOW)]


@pytest.mark.parametrize(
    ("query", "first", "after"),
    [
        ("What did I do yesterday?", "2026-11-29", "2026-11-30"),
        ("what happened the day before yesterday", "2026-11-28", "2026-11-29"),
        ("Last night's dinner", "2026-11-29", "2026-11-30"),
        ("today", "2026-11-30", "2026-12-01"),
        ("the meeting tomorrow", "2026-12-01", "2026-12-02"),
        ("last Tuesday", "2026-11-24", "2026-11-25"),
        ("last Monday", "2026-11-23", "2026-11-24"),
        ("on Monday", "2026-11-30", "2026-12-01"),
        ("next Friday", "2026-12-04", "2026-12-05"),
        ("this Sunday", "2026-12-06", "2026-12-07"),
        ("last week", "2026-11-23", "2026-11-30"),
        ("last weekend", "2026-11-28", "2026-11-30"),
        ("two weeks ago", "2026-11-16", "2026-11-23"),
        ("a couple of weeks ago", "2026-11-16", "2026-11-23"),
        ("3 days ago", "2026-11-27", "2026-11-28"),
        ("a year ago", "2025-01-01", "2026-01-01"),
        ("the last three days", "2026-11-27", "2026-12-01"),
        ("in the past week", "2026-11-23", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("next year", "2027-01-01", "2028-01-01"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("last November", "2025-11-01", "2025-12-01"),
        ("March 2025", "2025-03-01", "2025-04-01"),
        ("in Sept. 2024", "2024-09-01", "2024-10-01"),
        ("in March 2025", "2025-03-01", "2025-04-01"),
        ("since May 5", "2026-05-05", "2026-05-06"),
        ("on 5 May", "2026-05-05", "2026-05-06"),
        ("on December 1st", "2025-12-01", "2025-12-02"),
        ("May 5th, 2024", "2024-05-05", "2024-05-06"),
        ("2025-03-05", "2025-03-05", "2025-03-06"),
        ("2025-03", "2025-03-01", "2025-04-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("last summer", "2026-06-01", "2026-09-01"),
        ("last autumn", "2025-09-01", "2025-12-01"),
        ("this winter", "2026-12-01", "2027-03-01"),
        ("in the spring of 2024", "2024-03-01", "2024-06-01"),
        ("我昨天做了什么", "2026-11-29", "2026-11-30"),
        ("前天", "2026-11-28", "2026-11-29"),
        ("大后天", "2026-12-03", "2026-12-04"),
        ("上周", "2026-11-23", "2026-11-30"),
        ("上周二", "2026-11-24", "2026-11-25"),
        ("下周五开会", "2026-12-11", "2026-12-12"),
        ("星期天", "2026-11-29", "2026-11-30"),
        ("上上周末", "2026-11-21", "2026-11-23"),
        ("三天前", "2026-11-27", "2026-11-28"),
        ("二十天以前", "2026-11-10", "2026-11-11"),
        ("两个星期前", "2026-11-16", "2026-11-23"),
        ("两个月前", "2026-09-01", "2026-10-01"),
        ("最近三天", "2026-11-27", "2026-12-01"),
        ("上个月", "2026-10-01", "2026-11-01"),
        ("上个月5号", "2026-10-05", "2026-10-06"),
        ("本月", "2026-11-01", "2026-12-01"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("去年三月", "2025-03-01", "2025-04-01"),
        ("去年5月3日", "2025-05-03", "2025-05-04"),
        ("2025年3月", "2025-03-01", "2025-04-01"),
        ("３月５日", "2026-03-05", "2026-03-06"),
        ("三月五日", "2026-03-05", "2026-03-06"),
        ("十二月三十一号", "2025-12-31", "2026-01-01"),
        ("今年春天", "2026-03-01", "2026-06-01"),
        ("2024年的冬季", "2024-12-01", "2025-03-01"),
    ],
)
def test_what_a_query_states_is_a_span_of_whole_days(query: str, first: str, after: str) -> None:
    assert spans(query) == [(first, after)]


@pytest.mark.parametrize(
    "query",
    [
        "", "I may go", "march on", "on Tuesdays", "every Monday", "CVE-2024-3094", "version 2024.1", "recently",
        "the last one", "30 February", "in 1850", "三个月", "一周三次", "每周二", "目前天气", "几天前",
        "spring boot", "a fall", "9999 years ago",
    ],
)  # fmt: skip
def test_what_states_no_days_for_certain_gives_nothing(query: str) -> None:
    assert spans(query) == []


def test_all_that_is_stated_is_found_once_and_in_order() -> None:
    query = "between 5 May and last week, on 5 May, 或者昨天"
    assert spans(query) == [("2026-05-05", "2026-05-06"), ("2026-11-23", "2026-11-30"), ("2026-11-29", "2026-11-30")]
    assert len(find_spans(" ".join(f"{number} days ago" for number in range(1, 50)), now=NOW)) == MOST


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("yesterday", ("november29",)),
        ("last weekend", ("november28", "november29")),
        ("上个月", ("october",)),
        ("last summer", ("june", "july", "august")),
        ("去年", ("2025",)),
    ],
)
def test_a_span_has_the_words_by_which_texts_with_such_dates_are_found(query: str, words: tuple[str, ...]) -> None:
    assert find_spans(query, now=NOW)[0].words == words


@pytest.mark.parametrize(
    ("query", "first", "before"),
    [
        ("on 5 May", "2026-05-05", "2025-05-05"),
        ("in December", "2025-12-01", "2024-12-01"),
        ("29 February", "2024-02-29", "2023-02-28"),
        ("三月五日", "2026-03-05", "2025-03-05"),
    ],
)
def test_a_date_without_a_year_may_be_of_one_before(query: str, first: str, before: str) -> None:
    now = datetime(2024, 11, 30, 12, tzinfo=UTC).timestamp() if "February" in query else NOW
    [span] = find_spans(query, now=now)
    assert [format_day(each.first) for each in span.years()][:2] == [first, before]


@pytest.mark.parametrize("query", ["5 May 2026", "last May", "去年三月", "yesterday", "last summer", "in 2025"])
def test_what_says_its_year_is_of_no_other(query: str) -> None:
    [span] = find_spans(query, now=NOW)
    assert list(span.years()) == [span]


def test_what_only_today_explains_can_be_taken_out_of_a_query() -> None:
    for query, rest in (
        ("Bob's call last Tuesday", "Bob's call  "),
        ("上周的会议", " 的会议"),
        ("in May", "in May"),
        ("What happened today", "What    "),
        ("what happened in May", "what happened in May"),
    ):
        assert remove_date_phrases(query, find_spans(query, now=NOW)) == rest


PIECES = (
    *("last", "next", "on", "in", "two", "3", "99", "ago", "weeks", "days", "month", "May", "Tuesday", "summer"),
    *("2024", "-", "/", "31", "of", "the", "上", "个", "周", "月", "年", "日", "前", "去年", "三", "十", "五", "冬天"),
)
said = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12)


@given(said, st.sampled_from(["", " "]), st.one_of(st.floats(0, 4e9), st.floats()))
def test_any_text_at_any_time_states_ordered_spans_and_never_fails(parts: list[str], glue: str, now: float) -> None:
    query = glue.join(parts)
    found = find_spans(query, now=now)
    assert all(each.first < each.after and each.words for span in found for each in span.years())
    assert isinstance(remove_date_phrases(query, found), str)
