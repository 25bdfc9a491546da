"""The unigram tokenizer puts a text together from the same pieces as the tokenizers library."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.encoder.models import DEFAULT, find_model
from firmmem.encoder.unigram import Unigram
from firmmem.errors import ModelError

MAX_TOKENS = 32


@pytest.fixture(scope="module")
def both() -> tuple[Unigram, Any]:
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed")
    try:
        path = find_model(DEFAULT).folder / "tokenizer.json"
    except ModelError as absent:
        pytest.skip(str(absent))
    library = tokenizers.Tokenizer.from_file(str(path))
    library.enable_truncation(MAX_TOKENS)
    return Unigram(path, MAX_TOKENS), library


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "User is allergic to peanuts and carries an EpiPen.",
        "第一个版本我们决定用 SQLite，不用 Postgres。",
        "喵～好 ½ ﬁ ＡＢＣ　ｄｅｆ",
        "cafe\u0301 Привет 日本語テスト 한국어",
        "𠮷𠮷𠮷 between 𠮷 and 𠮷",
        "zero\u200bwidth \x07bell\u2028line ▁mark",
        "long " * 100,
    ],
)
def test_the_pieces_are_those_of_the_library(both: tuple[Unigram, Any], text: str) -> None:
    ours, library = both
    assert ours.encode(text) == library.encode(text).ids


@given(st.text(alphabet="ab 的是我们～éß1。-_.🙂\u200b\U00020bb7", max_size=60))
def test_the_pieces_of_any_text_are_those_of_the_library(both: tuple[Unigram, Any], text: str) -> None:
    ours, library = both
    assert ours.encode(text) == library.encode(text).ids


def test_the_name_of_a_special_piece_in_a_text_is_text(both: tuple[Unigram, Any]) -> None:
    ours, _ = both
    ids = ours.encode("a </s> b")
    assert [index for index, piece in enumerate(ids) if piece < 3] == [0, len(ids) - 1]
