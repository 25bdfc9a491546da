from collections.abc import Iterator
from typing import Any

import pytest
from support.stores import AUTHOR, START, Clock, write_one

from firmmem.contract import Question
from firmmem.errors import InvalidArgumentError, InvalidTextError, RefusedTextError
from firmmem.memory.recall.recall import find
from firmmem.memory.trust.feedback import record_feedback
from firmmem.memory.write import core_facts
from firmmem.memory.write.archive import archive_in_transaction
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    """A connection that works for a person."""
    opened = open_connection(settings, by_person=True)
    yield opened
    opened.close()


def add(person: Connection, settings: Settings, fact: str, **said: Any) -> Any:
    return core_facts.add_fact(person, fact, settings, **{"namespace": "default", "now": START, **said})


def texts(connection: Connection, *states: str, namespace: str = "default") -> list[str]:
    return [row["summary"] for row in core_facts.list_core_facts(connection, namespace, states or ("active",))]


def found(connection: Connection, settings: Settings, query: str, **said: Any) -> list[int]:
    result = find(connection, Question("default", query=query, **said), settings, now=START)
    return [memory.id for memory in result.memories]


def test_a_persons_facts_are_listed_oldest_first_in_their_namespace(person: Connection, settings: Settings) -> None:
    for fact in ("Is called Ada", "Speaks Portuguese"):
        assert add(person, settings, fact).status == "stored"
    add(person, settings, "Elsewhere", namespace=" my  work ")
    write_one(person, settings, "No core fact")
    assert texts(person) == ["Is called Ada", "Speaks Portuguese"]
    assert texts(person, namespace="my work ") == ["Elsewhere"]


def test_a_fact_added_again_is_known(person: Connection, settings: Settings) -> None:
    add(person, settings, "Is called Ada")
    again = add(person, settings, "is called ada.")
    assert (again.id, again.status) == (1, "known")
    assert texts(person) == ["Is called Ada"]


def test_an_edited_fact_keeps_its_id_and_its_history_and_is_found_by_its_new_words(
    person: Connection, settings: Settings
) -> None:
    add(person, settings, "Lives in Berlin", subject="city", tags=("home",))
    before = core_facts.edit_fact(person, 1, "Lives in Lisbon", settings, namespace="default", now=START + 5)
    assert before["summary"] == "Lives in Berlin"
    assert texts(person) == ["Lives in Lisbon"]
    assert texts(person, "superseded") == ["Lives in Berlin"]
    assert found(person, settings, "lisbon") == [1]
    assert found(person, settings, "city", tags=("home",)) == [1]
    assert found(person, settings, "berlin") == []
    assert found(person, settings, "berlin", include_archived=True) == [2]


def test_a_fact_edited_to_the_same_leaves_no_history(person: Connection, settings: Settings) -> None:
    add(person, settings, "Lives in Berlin")
    core_facts.edit_fact(person, 1, "Lives in Berlin", settings, namespace="default", now=START)
    assert texts(person, "superseded") == []


def test_a_removed_fact_is_away_and_comes_back_only_by_a_person(person: Connection, settings: Settings) -> None:
    add(person, settings, "Lives in Berlin")
    core_facts.remove_fact(person, 1, namespace="default", now=START)
    assert (texts(person), texts(person, "archived")) == ([], ["Lives in Berlin"])
    assert found(person, settings, "berlin") == []
    for tier in ("core", "draft"):
        assert write_one(person, settings, "Lives in Berlin", tier=tier).status == "removed"
    assert texts(person) == []
    back = add(person, settings, "lives in berlin")
    assert (back.id, back.status) == (1, "restored")
    assert found(person, settings, "berlin") == [1]


def test_an_agent_brings_a_removed_fact_back_neither_by_its_id_nor_through_a_branch(
    person: Connection, settings: Settings
) -> None:
    add(person, settings, "Lives in Berlin")
    core_facts.remove_fact(person, 1, namespace="default", now=START)
    where: dict[str, Any] = {"namespace": "default", "branch": "", "now": START}
    restored = archive_in_transaction(person, [1], **where, restore=True)
    assert restored.lines == ("#1 is a core fact: only a person restores it (firmmem core add)",)
    write_one(person, settings, "Lives in Berlin", branch="idea")
    merged = record_feedback(person, [2], "verified", AUTHOR, settings, **where, note="")
    assert merged.lines[0].endswith("not merged: #1 says the same, and a person removed it")
    assert texts(person) == []
    assert found(person, settings, "berlin", branch="idea") == [2]


def test_a_removed_fact_does_not_come_back_beside_another_of_its_subject(
    person: Connection, settings: Settings
) -> None:
    add(person, settings, "Lives in Berlin", subject="city")
    core_facts.remove_fact(person, 1, namespace="default", now=START)
    add(person, settings, "Lives in Lisbon", subject="city")
    back = add(person, settings, "Lives in Berlin")
    assert (back.status, back.id) == ("refused", 2)
    assert texts(person) == ["Lives in Lisbon"]


def test_a_fact_can_not_be_edited_into_another(person: Connection, settings: Settings) -> None:
    add(person, settings, "Is called Ada", subject="name")
    add(person, settings, "Speaks Portuguese", subject="language")
    for fact, subject in (("is called ada", None), ("Speaks German", "Name")):
        with pytest.raises(InvalidArgumentError, match=r"#1 \(core\) is about the same"):
            core_facts.edit_fact(person, 2, fact, settings, namespace="default", subject=subject, now=START)
    assert texts(person) == ["Is called Ada", "Speaks Portuguese"]


@pytest.mark.parametrize("memory_id", [2, 3, 4, 99, -1])
def test_only_an_active_core_fact_of_the_namespace_is_edited_or_removed(
    person: Connection, settings: Settings, memory_id: int
) -> None:
    add(person, settings, "Is called Ada")
    write_one(person, settings, "A draft")
    add(person, settings, "Elsewhere", namespace="other")
    add(person, settings, "Removed")
    core_facts.remove_fact(person, 4, namespace="default", now=START)
    with pytest.raises(InvalidArgumentError, match=f"no core fact #{memory_id} in namespace 'default'"):
        core_facts.edit_fact(person, memory_id, "X", settings, namespace="default", now=START)
    with pytest.raises(InvalidArgumentError):
        core_facts.remove_fact(person, memory_id, namespace="default", now=START)


def test_a_fact_is_held_to_what_every_memory_is_held_to(person: Connection, settings: Settings) -> None:
    add(person, settings, "Is called Ada")
    for wrong, error in {"": InvalidTextError, "a\0b": InvalidTextError, "x" * 2001: RefusedTextError}.items():
        with pytest.raises(error):
            add(person, settings, wrong)
        with pytest.raises(error):
            core_facts.edit_fact(person, 1, wrong, settings, namespace="default", now=START)
    assert texts(person) == ["Is called Ada"]


def test_core_never_fades(person: Connection, settings: Settings, clock: Clock) -> None:
    add(person, settings, "Is called Ada")
    for days in (0.0, 400.0, 40_000.0):
        [memory] = find(person, Question("default"), settings, now=clock.pass_days(days)).memories
        assert (memory.decay, memory.rfm, memory.trust, memory.score) == (1.0, 1.0, 1.0, 1.0)
