"""The inbox: everything that waits is in it once, and each letter does what it says and can be undone."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.agent import serving
from support.stores import START, YOUNG, Clock, planted, write_one

from firmmem.contract import NewMemory
from firmmem.edge.tools import inbox_note
from firmmem.errors import InvalidArgumentError
from firmmem.memory.hand.inbox import ACTIONS, act_on, read_inbox
from firmmem.memory.hand.pins import add_pin
from firmmem.memory.hand.undo import TakingBack
from firmmem.memory.hand.waiting import count_inbox
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.write.core_facts import PERSON
from firmmem.memory.write.proposals import store_proposal
from firmmem.memory.write.write import check_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, run, transaction

KINDS = ("proposal", "conflict", "quarantine", "alert", "pin", "fading")


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    """A store in which one thing of each kind waits."""
    connection = open_connection(settings, by_person=True)
    with transaction(connection):
        store_proposal(
            connection, check_memory(NewMemory("Speaks French", "core", "default"), settings), PERSON, now=START
        )
        write_one(connection, settings, "The office is in Lisbon", tier="validated")
        write_one(connection, settings, "The office is in Porto", tier="validated")
        connection.execute("INSERT OR IGNORE INTO conflict VALUES (1, 2), (2, 1)")
        planted(connection, YOUNG, "The moon is made of cheese", state="quarantined")
        alert = {"tier": "draft", "kind": "rise", "run": 1, "n": 30, "count": 1, "reason": "the trust of 1 memory rose"}
        run(connection, "alert_put", namespace="default", now=START, memories=json.dumps([[2, 0.9]]), **alert)
        add_pin(connection, "Where is the office?", 1, settings, namespace="default", now=START)
        run(connection, "pin_note", id=1, place=0, cause="#1 was archived", now=START)
        planted(connection, replace(YOUNG, reviewed_at=START - 19 * DAY), "Had noodles for lunch")
    yield connection
    connection.close()


def act(connection: Connection, settings: Settings, kind: str, letter: str) -> tuple[str, Any]:
    [item] = [each for each in read_inbox(connection, "default", settings, now=START) if each.kind == kind]
    with transaction(connection):
        return act_on(connection, item, letter, settings, namespace="default", now=START)


def kinds(connection: Connection, settings: Settings) -> list[str]:
    return [item.kind for item in read_inbox(connection, "default", settings, now=START)]


def test_one_of_each_kind_is_shown_and_what_fades_is_not_counted(person: Connection, settings: Settings) -> None:
    assert tuple(kinds(person, settings)) == KINDS
    assert count_inbox(person, "default") == 5
    assert (read_inbox(person, "elsewhere", settings, now=START), count_inbox(person, "elsewhere")) == ([], 0)
    lines = {item.kind: item.lines for item in read_inbox(person, "default", settings, now=START)}
    assert lines["proposal"] == ("person proposes: Speaks French",)
    assert lines["pin"] == ("Where is the office?", "#1 was archived")
    assert lines["alert"] == ("draft: the trust of 1 memory rose",)
    assert "Lisbon" in lines["conflict"][0]
    assert "Porto" in lines["conflict"][1]


@pytest.mark.parametrize(("kind", "letter"), [(kind, letter) for kind, each in ACTIONS.items() for letter in each])
def test_each_letter_settles_its_item(person: Connection, settings: Settings, kind: str, letter: str) -> None:
    said, action = act(person, settings, kind, letter)
    assert said
    left = kinds(person, settings)
    assert kind not in left
    assert len(left) == len(KINDS) - 1
    if action.run:
        taking, more = TakingBack(action.run, settings), True
        while more:
            with transaction(person):
                _, lines, more = taking.chunk(person, now=START)
            assert lines == []
    assert (kind in kinds(person, settings)) == bool(action.run) or kind == "fading"


def test_a_letter_that_means_nothing_is_refused(person: Connection, settings: Settings) -> None:
    with pytest.raises(InvalidArgumentError, match="'x' means nothing for a conflict: o = archive the older"):
        act(person, settings, "conflict", "x")


async def test_a_session_is_told_once_and_again_after_a_gap(
    person: Connection, clock: Clock, settings: Settings
) -> None:
    async with serving(settings, clock) as client:
        first = await client.call("recall_memory")
        again = await client.call("recall_memory")
        clock.pass_days(1)
        later = await client.call("recall_memory")
    assert "5 things wait for the user to decide" in first
    assert "wait for the user" not in again
    assert "wait for the user" in later
    assert inbox_note(0) == ()
    assert inbox_note(1)[0].startswith("1 thing waits")
