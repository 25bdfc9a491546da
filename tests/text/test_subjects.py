"""Subjects: one, however they are typed."""

import pytest

from firmmem.text.subjects import subject_key


@pytest.mark.parametrize(
    "subject",
    [
        "User City", "user_city", "userCity", "user-city", " USER . CITY ", "user\u3000city", "ｕｓｅｒ．ｃｉｔｙ",
        "user.сity", "υser.city", "us\u200ber.city",
    ],
)  # fmt: skip
def test_spellings_of_one_subject_are_one(subject: str) -> None:
    assert subject_key(subject) == subject_key("user.city")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user.city", "user.country"), ("release.1.12", "release.11.2"), ("用户.城市", "user.city"), ("c", "c++"),
        ("c", "c#"), ("...", "___"), ("café", "cafe"), ("dev.port", "dev.sport"),
    ],
)  # fmt: skip
def test_other_subjects_stay_apart(one: str, other: str) -> None:
    assert subject_key(one) != subject_key(other)


def test_chinese_spellings_are_one_too() -> None:
    assert len({subject_key(each) for each in ("用户.城市", "用户 城市", "用户·城市", "用户_城市")}) == 1


def test_a_subject_of_nothing_but_signs_has_a_key() -> None:
    assert subject_key("...") != ""
    assert subject_key("") == ""
