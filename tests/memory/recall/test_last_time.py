"""Yesterday, last time, this week: what was written then, newest first, whatever its words."""

import pytest
from support.agent import Agent
from support.stores import START, Clock

from firmmem.memory.recall.last_time import asked_stretch
from firmmem.memory.rows.sessions import HOUR

LAST = [
    "what were we working on last time?",
    "Where did we leave off?",
    "what did we do in the last session",
    "Let's pick up where we left off",
    "Remind me what we talked about last time, please",
    "上次我们做到哪了",
    "上次聊到哪里了？",
    "我们上次说到哪儿了",
    "上一次讨论了什么",
    "之前我们做了些什么",
    "上回的进展怎么样",
]
DAYS = {
    "what were we working on yesterday": (-1, 0),
    "What did we do yesterday?": (-1, 0),
    "what happened yesterday": (-1, 0),
    "昨天我们做到哪了": (-1, 0),
    "昨天做了什么": (-1, 0),
    "昨天聊了些什么？": (-1, 0),
    "前天的工作": (-2, -1),
    "what have we done today": (0, 1),
    "今天都做了哪些事情": (0, 1),
    "what did I work on 3 days ago": (-3, -2),
    "summarise what we did this week": (-5, 2),
    "这周我们完成了什么": (-5, 2),
}
OTHERS = [
    "what did Anna say yesterday",
    "when is the last train to Porto",
    "yesterday's deploy of the payment service",
    "昨天的部署失败了吗",
    "上次去医院是什么时候",
    "what is the user's name",
    "tea",
    "",
    "last",
    "what are we working on",
    "x " * 200 + "yesterday",
]


@pytest.mark.parametrize("query", LAST)
def test_asking_for_last_time_is_asking_for_the_last_session(query: str) -> None:
    assert asked_stretch(query, now=START) == (True, None)


@pytest.mark.parametrize("query", DAYS)
def test_asking_for_a_day_is_asking_for_what_was_written_then(query: str) -> None:
    asks, span = asked_stretch(query, now=START)
    assert asks
    assert span is not None
    assert tuple(round((moment - START) / 24 / HOUR) for moment in (span.first, span.after)) == DAYS[query]


@pytest.mark.parametrize("query", OTHERS)
def test_what_asks_for_more_is_searched(query: str) -> None:
    assert asked_stretch(query, now=START)[0] is False


async def lived(agent: Agent) -> None:
    """Write on three days, the last of them by another session."""
    agent.clock.now = START - 3 * 24 * HOUR
    await agent.write("The invoice of the caterer was checked", "validated")
    agent.clock.now = START - 30 * HOUR + 18 * HOUR
    for number in range(12):
        agent.clock.now += 60
        await agent.write(f"Screen {number} was drawn")
    await Agent(agent.database, agent.clock, "another").write("The works manager called", "core")
    agent.clock.now = START + 9 * HOUR


async def test_yesterday_is_told_newest_first_and_without_core_facts(agent: Agent) -> None:
    await lived(agent)
    found = await agent.recall("what were we working on yesterday")
    assert [memory.summary for memory in found.memories] == [
        f"Screen {number} was drawn" for number in range(11, -1, -1)
    ]
    assert [memory.summary for memory in (await agent.recall("昨天我们做到哪了", limit=2)).memories] == [
        "Screen 11 was drawn", "Screen 10 was drawn",
    ]  # fmt: skip


async def test_last_time_is_before_the_callers_own_session(agent: Agent) -> None:
    await lived(agent)
    await agent.write("Written in this session")
    found = await agent.recall("where did we leave off?")
    assert found.memories[0].summary == "Screen 11 was drawn"
    assert [section.kind for section in found.sections] == ["session"]


async def test_a_day_on_which_nothing_was_written_is_said_so_and_the_last_session_told(agent: Agent) -> None:
    await lived(agent)
    found = await agent.recall("前天我们做了什么")
    assert found.memories[0].summary == "Screen 11 was drawn"
    assert found.notes == ("nothing was written 前天; this is of the last session, 2026-05-15",)


async def test_what_does_not_fit_is_counted(agent: Agent) -> None:
    await lived(agent)
    found = await agent.recall("what did we do yesterday", limit=5)
    assert found.notes == ("7 more were written then: raise limit",)
    found = await agent.recall("what did we do yesterday", token_budget=150)
    assert found.notes[0].endswith("were written then: raise token_budget")


async def test_core_facts_alone_are_told_where_nothing_else_was_written(agent: Agent) -> None:
    await agent.write("Is called Ada", "core")
    agent.clock.pass_days(1)
    assert [memory.summary for memory in (await agent.recall("what did we do yesterday")).memories] == ["Is called Ada"]


async def test_in_an_empty_store_and_with_filters_it_is_a_query_like_any_other(agent: Agent) -> None:
    assert (await agent.recall("what did we do last time")).memories == ()
    await agent.write("The cat sleeps", tags=("pets",))
    assert (await agent.recall("what did we do last time", tags=("pets",))).sections == ()


async def test_a_listing_of_a_span_of_time_has_core_facts_last(agent: Agent, clock: Clock) -> None:
    for number in range(12):
        await agent.write(f"Core fact {number}", "core")
    await agent.write("The deploy was done")
    found = await agent.recall(since=START - 1, until=START + 1)
    assert found.memories[0].summary == "The deploy was done"
    assert len(found.memories) == 13
