"""Days are the person's: of a zone that the settings name, or of the system's."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from pydantic import ValidationError
from support.agent import Agent, serving
from support.stores import Clock

from firmmem.dates.moments import format_day, format_time, parse_span
from firmmem.dates.spans_in_query import find_spans
from firmmem.settings import Settings
from firmmem.time_zone import begins, find_zone, local_day, moment_of, use_zone

MORNING = datetime(2026, 11, 30, 23, 30, tzinfo=UTC).timestamp()  # 07:30 on 1 December in Shanghai


@pytest.fixture(autouse=True)
def _utc_afterwards() -> Iterator[None]:
    yield
    use_zone("UTC")


def test_a_morning_in_shanghai_is_of_that_day() -> None:
    use_zone("Asia/Shanghai")
    assert format_day(MORNING) == "2026-12-01"
    assert format_time(MORNING) == "2026-12-01T07:30:00+08:00"
    assert local_day(MORNING) == date(2026, 12, 1)
    since, until = parse_span("today", "2026-12-01", now=MORNING + 3_600)
    assert (since, until) == (MORNING - 7.5 * 3_600, MORNING + 16.5 * 3_600)
    assert parse_span("2026-12-01T07:30", "", now=MORNING)[0] == MORNING
    assert parse_span("2026-12-01T07:30:00Z", "", now=MORNING)[0] == MORNING + 8 * 3_600
    [span] = find_spans("昨天", now=MORNING)
    assert span.after == since


def test_a_day_on_which_clocks_change_has_23_or_25_hours() -> None:
    use_zone("Europe/Lisbon")
    assert begins(date(2026, 3, 30)) - begins(date(2026, 3, 29)) == 23 * 3_600
    assert begins(date(2026, 10, 26)) - begins(date(2026, 10, 25)) == 25 * 3_600


def test_without_a_name_it_is_the_systems() -> None:
    use_zone("")
    assert format_time(MORNING) == "2026-11-30T23:30:00Z"  # the tests run in UTC
    assert format_day(MORNING) == "2026-11-30"
    assert begins(date(2026, 12, 1)) == MORNING + 1_800
    assert moment_of(datetime(2026, 12, 1, tzinfo=UTC)) == MORNING + 1_800
    assert format_day(1e300) == format_time(1e300)[:10] == "????-??-??"


def test_a_zone_that_is_none_is_refused_by_name() -> None:
    assert find_zone("utc") is UTC
    for wrong in ("Mars/Olympus", "../etc/passwd", "Asia"):
        with pytest.raises(ValidationError, match="it names no time zone; send one such as Asia/Shanghai"):
            Settings(time_zone=wrong)


async def test_a_note_of_a_morning_in_shanghai_is_found_and_shown_as_of_that_day(settings: Settings) -> None:
    clock = Clock(MORNING)
    in_shanghai = settings.model_copy(update={"time_zone": "Asia/Shanghai"})
    async with serving(in_shanghai, clock) as caller:
        await caller.write("晨会改到九点")
        clock.now += 10 * 3_600
        [line] = await caller.memories(since="today")
        assert " 2026-12-01 " in line
        assert await caller.memories(until="yesterday") == []
        assert await caller.memories("今天做了什么") == [line]
        assert await caller.memories("昨天做了什么", include_archived=True) == []


async def test_the_same_moment_is_of_another_day_elsewhere(agent: Agent) -> None:
    agent.clock.now = MORNING
    await agent.write("The call with Osaka")
    agent.clock.now += 3_600
    found = await agent.recall("what did we do yesterday")
    assert [memory.summary for memory in found.memories] == ["The call with Osaka"]
