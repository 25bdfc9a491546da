"""The sets by which screening is measured hold what is promised, in either half."""

from collections.abc import Callable, Iterator

import pytest
from support.checkout import SCRIPTS


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Iterator[tuple[bool, bool]]]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import measure_refusal

    def judge(name: str) -> Iterator[tuple[bool, bool]]:
        samples, is_caught, _ = measure_refusal.SETS[name]
        return ((sample.unseen, is_caught(sample.text)) for sample in samples())

    return judge


@pytest.mark.parametrize("unseen", [False, True])
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("injections", 34 / 42, 1.0),
        ("harmless notes and rules", 0.0, 1 / 35),
        ("chats", 0.85, 1.0),
        ("texts like chats", 0.0, 0.06),
        ("secrets", 0.85, 1.0),
        ("texts like secrets", 0.0, 0.06),
    ],
)
def test_each_set_is_judged_as_promised(
    sets: Callable[[str], Iterator[tuple[bool, bool]]], *, name: str, least: float, most: float, unseen: bool
) -> None:
    caught = [found for half, found in sets(name) if half == unseen]
    assert len(caught) >= 25
    assert least <= sum(caught) / len(caught) <= most
