"""Pins: a question whose answer left the first five says why, after whatever changed the store."""

import logging
from typing import Any

import pytest
from support.agent import Agent
from support.keeper import Keeper, _no_pauses  # noqa: F401 - a fixture

from firmmem.errors import InvalidArgumentError, RefusedTextError
from firmmem.memory.hand.erase import erase_rows
from firmmem.memory.hand.pins import FIRST, add_pin, check_if_changed, check_pins, list_pins, remove_pin
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction

QUESTION = "Where is the spare key of the cabin?"


async def pin(agent: Agent, question: str = QUESTION, memory: int = 1) -> int:
    said: dict[str, Any] = {"namespace": "default", "now": agent.clock()}
    return await agent.database.write(add_pin, question, memory, agent.database.settings, **said)


async def failing(agent: Agent) -> dict[int, str]:
    """Check all pins, and return the causes of those that fail."""
    checked = await check_pins(agent.database, None, now=agent.clock())
    return {each.pin["id"]: each.cause for each in checked if each.cause}


async def test_a_pin_that_finds_its_memory_says_its_place(agent: Agent) -> None:
    await agent.write("The spare key of the cabin is under the third stone")
    number = await pin(agent)
    [found] = await check_pins(agent.database, None, now=agent.clock())
    assert (found.pin["id"], found.place, found.cause) == (number, 1, "")
    [noted] = await agent.database.read(list_pins, "default")
    assert (noted["place"], noted["failed_at"], noted["checked_at"]) == (1, None, agent.clock())
    assert await agent.database.read(list_pins, "elsewhere") == []


async def test_what_became_of_the_memory_is_the_cause(agent: Agent) -> None:
    await agent.write("The spare key of the cabin is under the third stone")
    await agent.write("The boat is called Nora")
    first, second = await pin(agent), await pin(agent, "What is the boat called?", 2)
    await agent.archive(1, reason="lost")
    assert await failing(agent) == {first: "#1 was archived on 2026-05-16 (lost)"}
    await agent.restore(1)
    assert await failing(agent) == {}
    await agent.write("The boat is called Ada", supersedes=(2,))
    assert await failing(agent) == {second: "#2 was superseded by #3 on 2026-05-16"}
    assert [each["id"] for each in await agent.database.read(list_pins, failed=True)] == [second]


async def test_what_comes_first_now_is_named(agent: Agent) -> None:
    await agent.write("The spare key of the cabin is under the third stone of the path behind the old shed by the well")
    number = await pin(agent)
    for place in ("hook", "nail", "shelf", "box", "drawer"):
        await agent.write(f"Spare key cabin: {place}", "validated")
    cause = (await failing(agent))[number]
    assert cause.startswith("#1 is at place 6: ")
    assert cause.endswith(" come first")
    assert cause.count("#") - 1 == FIRST


async def test_what_is_not_found_at_all_is_said(agent: Agent) -> None:
    await agent.write("The boat is called Nora")
    number = await pin(agent)
    assert await failing(agent) == {number: "#1 is not in the answer: nothing is relevant enough"}


async def test_a_pin_that_fails_is_a_warning_once(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    await agent.write("The spare key of the cabin is under the third stone")
    await pin(agent)
    await agent.archive(1)
    with caplog.at_level(logging.WARNING, "firmmem.memory.hand.pins"):
        await failing(agent)
        await failing(agent)
    assert len([each for each in caplog.records if "was archived" in each.getMessage()]) == 1


async def test_pins_are_checked_when_something_ran_or_the_schema_changed(agent: Agent) -> None:
    assert await check_if_changed(agent.database, None, now=agent.clock()) == []
    await agent.write("The spare key of the cabin is under the third stone")
    await pin(agent)
    assert len(await check_if_changed(agent.database, None, now=agent.clock())) == 1
    assert await check_if_changed(agent.database, None, now=agent.clock()) == []
    keeper = Keeper(agent.database, agent.clock)
    agent.clock.pass_days(90)
    await keeper.days(3, "forget")  # forgets the memory, and that is a run
    [found] = await check_if_changed(agent.database, None, now=agent.clock())
    assert found.cause.startswith("#1 was forgotten on ")

    def migrate(connection: Any) -> None:
        connection.execute("UPDATE pin_check SET stamp = '4 ' || substr(stamp, instr(stamp, ' ') + 1)")

    await agent.database.write(migrate)
    assert len(await check_if_changed(agent.database, None, now=agent.clock())) == 1


async def test_pins_are_of_memories_that_are_there_and_hold_no_secret(agent: Agent) -> None:
    await agent.write("The boat is called Nora")
    with pytest.raises(InvalidArgumentError, match="no memory #9"):
        await pin(agent, memory=9)
    with pytest.raises(RefusedTextError):
        await pin(agent, "What is the password=Tr0ub4dor&3xyz for?")
    number = await pin(agent, "What is the boat called?")
    assert await pin(agent, "What is  the boat called?") == number  # the same question
    await agent.database.write(remove_pin, number, namespace="default")
    with pytest.raises(InvalidArgumentError, match=f"no pin {number}"):
        await agent.database.write(remove_pin, number, namespace="default")


async def test_a_pin_goes_with_what_is_erased(agent: Agent) -> None:
    await agent.write("The boat is called Nora")
    await pin(agent, "Is the boat called Nora?")
    person = open_connection(agent.database.settings, by_person=True)
    with transaction(person):
        erase_rows(person, [1], run_id=1, now=agent.clock())
    person.close()
    assert await agent.database.read(list_pins) == []
