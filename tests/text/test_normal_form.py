import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.errors import InvalidTextError
from firmmem.text.normal_form import clean_text, estimate_tokens, normal_form, to_one_line

any_text = st.text(st.characters(codec="utf-8"), max_size=200)


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d a pair", "\udfff"])
def test_what_no_unicode_text_holds_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InvalidTextError) as raised:
        clean_text(text)
    assert str(raised.value).count(".") == 1


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u200b\ufeff", "\u202e"])
def test_a_text_with_nothing_to_see_is_refused(text: str) -> None:
    with pytest.raises(InvalidTextError, match="empty"):
        clean_text(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u202c", "ab"),
        ("\u2066a\u2069", "a"),
        ("zero\u200bwidth\u2060\ufeff", "zerowidth"),
        ("bell\x07 \x1b[31m \x85 ok", "bell [31m  ok"),
        ("hi\U000e0068\U000e0069", "hi"),
        ("\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "ignore") + " x", "\U0001f3f4 x"),
        ("  one\r\ntwo\rthree\tfour ", "one\ntwo\nthree\tfour"),
        ("page one\x0cpage two\x0bline two\x0c", "page one\npage two\nline two"),
    ],
)
def test_what_can_not_be_seen_is_removed(text: str, seen: str) -> None:
    assert clean_text(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم بروم",
        "👨‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ 🇨🇳",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f in Scotland",
        "用户喜欢雾凇拼音输入法。",
        "\u200fשלום\u200f",
        "null",
        '{"k":1}',
    ],
)
def test_joiners_emoji_and_flags_come_back_equal(text: str) -> None:
    assert clean_text(text) == text.strip()


@given(any_text)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    try:
        once = clean_text(text)
    except InvalidTextError:
        return
    assert clean_text(once) == once


@pytest.mark.parametrize("text", ["uses tabs", "Uses  tabs ", "USES\ntabs...", "Ｕｓｅｓ tabs。", "uses tabs!"])
def test_one_statement_written_differently_is_one_memory(text: str) -> None:
    assert normal_form(text) == normal_form("Uses tabs.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("2.5", "25"),
        ("Likes tea", "Likes tea?"),
        ("a b", "ab"),
        ("2⁵", "25"),
        ("10⁻³", "10-3"),
    ],
)
def test_different_statements_stay_different(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


def test_punctuation_alone_is_kept() -> None:
    assert normal_form("...") == "..."


@given(any_text)
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    once = normal_form(text)
    assert normal_form(once) == once


@given(any_text)
def test_composition_does_not_change_the_normal_form(text: str) -> None:
    assert normal_form(unicodedata.normalize("NFD", text)) == normal_form(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("雾凇拼音", 4),
        ("雾凇ab", 3),
        ("한국", 2),
        ("กาแฟ", 4),
        ("かな", 2),
    ],
)
def test_a_dense_script_counts_a_token_a_character(text: str, count: int) -> None:
    assert estimate_tokens(text) == count


def test_a_list_shows_a_text_on_one_line() -> None:
    assert to_one_line(" one\n\n two\tthree\u2028four ") == "one two three four"
