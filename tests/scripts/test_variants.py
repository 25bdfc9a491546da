"""The forms in which a set is measured keep what is written and what answers."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from support import checkout

from firmmem.store.opening import open_connection  # noqa: F401 - one SQLite library per process

pytestmark = pytest.mark.usefixtures("_scripts")


@pytest.fixture
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(checkout.CHECKOUT / "scripts"))


def talk(name: str, count: int) -> "object":
    from evaluation.sets import Asked, Collection, Item

    items = tuple(Item(f"{name} said number {number}", 1_000_000.0 + number) for number in range(count))
    return Collection(name, items, tuple(Asked(f"What was number {at}?", frozenset({at})) for at in range(count)))


def test_every_form_keeps_the_items_and_what_answers() -> None:
    from evaluation import variants

    chats = [talk("Ann", 7), talk("Bob", 5)]
    for name, form in variants.FORMS.items():
        for collection in form(chats):
            assert len({item.text for item in collection.items}) == (
                12 if name == "interleaved" else len(collection.items)
            )
            for asked in collection.questions:
                [at] = asked.gold
                assert collection.items[at].text.endswith(f"number {asked.text.split()[-1][:-1]}")
    days = [item.at for item in variants.shuffled(chats)[0].items]
    assert {later - earlier for earlier, later in pairwise(days)} == {86_400.0}


def test_sentences_are_put_around_a_question() -> None:
    from evaluation import variants

    [prompts] = variants.rambling([talk("Ann", 4)], ["It rained all day long.", "I like tea.", "The bus is late."], 2)
    for number, asked in enumerate(prompts.questions):
        assert f"What was number {number}?" in asked.text
        assert asked.text.count(".") == 2
        assert asked.gold == {number}


def test_memdaily_is_put_among_messages_of_others(tmp_path: Path) -> None:
    from evaluation import variants

    for topic in ("film", "music", "travel"):
        said = [{"message": f"{topic} number {number}"} for number in range(400)]
        (tmp_path / f"{topic}_dev.json").write_text(json.dumps([{"messages": said}]), encoding="utf-8")
    record = {"messages": ["my cousin is a doctor", "my aunt sings"], "question": "who sings?", "gold": [1]}
    (tmp_path / "noisy_dev.json").write_text(json.dumps([record]), encoding="utf-8")
    [collection] = variants.memdaily(tmp_path / "noisy_dev.json", tmp_path)
    assert len(collection.items) == 1_002
    [at] = collection.questions[0].gold
    assert collection.items[at].text == "my aunt sings"
    assert variants.memdaily(tmp_path / "noisy_dev.json", tmp_path, draw=1)[0].items != collection.items


@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize("size", [5, 20, 150])
def test_a_store_of_the_user_holds_what_it_is_asked_for_and_nothing_that_it_is_not(size: int, chinese: bool) -> None:
    from evaluation import user_stores

    stores = user_stores.stores(size, chinese=chinese)
    answers = {fact.question: fact.text for fact in user_stores.facts(chinese=chinese)}
    for store in stores:
        texts = [item.text for item in store.items]
        assert len(set(texts)) == size
        for asked in store.questions:
            if asked.category == user_stores.PRESENT:
                [at] = asked.gold
                assert texts[at] == answers[asked.text]
            else:
                assert answers[asked.text] not in texts


def test_lifebench_records_are_written_at_their_time_or_spread_over_their_day() -> None:
    from evaluation import sets

    day = 86_400.0
    first, second, third = sets.record_times(["2025-06-02 tea", "2025-06-02 08:30 bus", "2025-06-02 cake"])
    assert second % day == 8.5 * 3_600
    assert abs(third - first) > 3_600


def test_an_evidence_id_may_be_padded() -> None:
    from evaluation import sets

    assert sets.turn_ids("D30:05; D8:6") == ["D30:5", "D8:6"]


def test_silence_and_each_mechanism_are_measured_in_one_process(tmp_path: Path) -> None:
    from evaluation import mechanisms, silence

    chats = [talk("Ann", 7), talk("Bob", 5)]
    cells = silence.cells(chats, silence.both(chats), tmp_path, model=False)
    assert len(cells) == len(silence.SETTINGS)
    assert all(" / " in cell for cell in cells)
    assert len(mechanisms.cells(chats, tmp_path, model=False, capped=False)) == 1 + len(mechanisms.MECHANISMS)
