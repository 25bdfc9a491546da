"""What is put away and matches better is counted, by the same filters, even where something else was found."""

from support.agent import Agent
from support.stores import START

KEY = "The spare key of the cabin is under the third stone"


async def test_an_archived_memory_that_matches_better_is_counted_beside_what_was_found(agent: Agent) -> None:
    await agent.write(KEY)
    await agent.write("The cabin's roof was repaired")
    for number in range(20):
        await agent.write(f"Invoice {number} was paid")
    assert (await agent.recall("where is the spare key of the cabin")).put_away == {}
    await agent.archive(1)
    assert (await agent.recall("where is the spare key of the cabin")).put_away == {"archived": 1}
    assert (await agent.recall("was the roof of the cabin repaired")).put_away == {}
    assert (await agent.recall("where is the spare key of the cabin", include_archived=True)).put_away == {}


async def test_a_quarantined_memory_is_counted_with_the_archive_searched_too(agent: Agent) -> None:
    await agent.write(KEY)
    await agent.quarantine(1)
    for archived in (False, True):
        found = await agent.recall(KEY, include_archived=archived)
        assert (found.memories, found.put_away) == ((), {"quarantined": 1})


async def test_a_superseded_memory_is_counted(agent: Agent) -> None:
    await agent.write("The deploy script needs Node 18 and yarn")
    await agent.write("It runs on Node 22 now", supersedes=(1,))
    assert (await agent.recall("deploy script node 18 yarn")).put_away == {"superseded": 1}


async def test_the_count_obeys_the_filters(agent: Agent) -> None:
    await agent.write(KEY, tags=("cabin",))
    await agent.archive(1)
    asked = "spare key of the cabin"
    assert (await agent.recall(asked, since=START + 1)).put_away == {}
    assert (await agent.recall(asked, tags=("nobody",))).put_away == {}
    assert (await agent.recall(asked, tiers=("core",))).put_away == {}
    assert (await agent.recall(asked, tags=("cabin",), since=START - 1)).put_away == {"archived": 1}


async def test_chinese_is_counted_as_well(agent: Agent) -> None:
    await agent.write("备用钥匙在第三块石头下面")
    await agent.write("小屋的屋顶修好了")
    await agent.archive(1)
    assert (await agent.recall("备用钥匙在哪里")).put_away == {"archived": 1}
