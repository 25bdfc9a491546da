import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.dates.date_words import _DATES, MONTHS, _can_be_date, date_words


@pytest.mark.parametrize("text", ["2025-01-09", "2025/1/9", "9 Jan", "9th of jan", "Jan. 9th", "1月9日", "1 月 9 号"])
def test_every_way_of_writing_a_day_gives_the_same_words(text: str) -> None:
    assert date_words(text) == ["january", "january9"]


@pytest.mark.parametrize("text", ["January 9", "9th of january", "8:30 on 9 January, 2025"])
def test_a_month_that_is_spelled_out_is_not_counted_twice(text: str) -> None:
    assert date_words(text) == ["january9"]


@pytest.mark.parametrize("number", range(1, 13))
def test_a_month_is_found_by_number_name_and_chinese_numeral(number: int) -> None:
    month = MONTHS[number - 1]
    numeral = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"][number - 1]
    for text in (f"2025-{number:02}-28", f"{number}月份", f"{numeral}月"):
        assert date_words(text)[0] == month
    assert date_words(month) == []
    assert date_words(f"{month[:3]} 28")[-1] == f"{month}28"


@pytest.mark.parametrize(
    "text",
    [
        "I may 3D-print it",
        "marching on",
        "三个月",
        "十几个月",
        "13月",
        "2025-13-01",
        "1.2.3",
        "10:30",
        "maybe",
    ],
)
def test_what_only_looks_like_a_date_gives_nothing(text: str) -> None:
    assert date_words(text) == []


@given(text=st.from_regex(re.compile(_DATES.pattern, _DATES.flags)))
def test_no_way_of_writing_a_date_is_passed_over(text: str) -> None:
    assert _can_be_date(unicodedata.normalize("NFKC", text))
