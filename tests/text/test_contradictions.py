"""Contradictions: what changed, ended or is denied is noticed; series and other things of the same subject are not."""

import pytest
from support.checkout import CHECKOUT

from firmmem.text.contradictions import contradicts

PAIRS = CHECKOUT / "scripts" / "evaluation" / "pairs"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The user does not eat meat.", "The user eats meat again."),
        ("用户住在北京。", "用户住在上海。"),
        ("Anna leads the design team.", "Tom leads the design team now."),
        ("会议在周一上午十点。", "会议改到周三下午两点。"),
        ("The database is MySQL.", "The database was migrated to PostgreSQL."),
        ("The deploy script needs Node 18.", "The deploy script needs Node 22."),
        ("CI runs on Jenkins", "CI runs on Buildkite"),
        ("The user prefers tea to coffee.", "The user prefers coffee to tea."),
        ("The user is allergic to peanuts.", "The user is not allergic to peanuts."),
        ("用户对花生过敏。", "用户对花生不过敏。"),
        ("Dark mode is enabled.", "Dark mode is disabled."),
        ("用户在乐团拉小提琴。", "用户不拉小提琴了。"),
    ],
)
def test_what_can_hardly_be_true_any_more_is_noticed(older: str, newer: str) -> None:
    assert contradicts(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The user likes jazz.", "The user likes tea."),
        ("Anna leads design.", "Anna lives in Rome."),
        ("Build 14 took 9 minutes", "Build 15 took 11 minutes"),
        ("statement 3", "statement 4"),
        ("note 3 on item 7", "note 4 on item 7"),
        ("第 14 次构建用了 9 分钟", "第 15 次构建用了 11 分钟"),
        ("On 3 May the user ran 5 km.", "On 5 May the user ran 8 km."),
        ("The user is allergic to peanuts.", "The user is not allergic to penicillin."),
        ("Anna lives in Rome.", "Tom lives in Paris."),
        ("The user joined a running club.", "The user left the book club."),
        ("用户会说粤语。", "用户不会说法语。"),
        ("", "The user likes tea."),
        ("?!", "，。"),
    ],
)
def test_a_series_and_other_things_of_a_subject_are_no_contradiction(older: str, newer: str) -> None:
    assert not contradicts(older, newer)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_all_the_pairs_three_quarters_are_noticed_and_of_unrelated_ones_two_of_a_hundred(language: str) -> None:
    def share(*names: str) -> float:
        lines = [
            line.split("\t") for name in names for line in (PAIRS / f"{name}_{language}.tsv").read_text().splitlines()
        ]
        return sum(contradicts(older, newer) for _, older, newer in lines) / len(lines)

    assert share("contradictions") >= 0.75
    assert share("unrelated", "series") <= 0.02


def test_pairs_that_the_rule_was_practised_on_are_judged_as_well() -> None:
    def share(name: str) -> float:
        lines = [line.split("\t") for line in (PAIRS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
        return sum(contradicts(older, newer) for older, newer in lines) / len(lines)

    assert share("practice_contradictions") >= 0.8
    assert share("practice_others") <= 0.02


def test_a_long_text_is_compared_in_bounded_time_and_needs_half_of_the_other_one() -> None:
    long = "The user moved to Lisbon and likes it. " + " ".join(f"word{number}" for number in range(300))
    assert not contradicts(long, "The user lives in Porto now.")
