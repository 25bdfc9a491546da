"""An empty namespace is named, with the file and the namespaces that hold memories."""

from support.agent import Agent

from firmmem.settings import Settings


async def test_the_nearest_names_come_first(agent: Agent) -> None:
    for name in ("a", "b", "c", "d", "e", "hermes_default", "PCL3o2", "pcl302"):
        await agent.write("Green tea", namespace=name)
    await agent.write("Black tea", namespace="a")
    found = await agent.recall("tea", namespace="hermes_defualt")
    assert found.elsewhere is not None
    assert next(iter(found.elsewhere.others)) == "hermes_default"
    assert (len(found.elsewhere.others), found.elsewhere.more) == (6, 2)
    assert found.elsewhere.file.endswith("firmmem.db")
    found = await agent.recall(namespace="PCL302")
    assert found.elsewhere is not None
    assert list(found.elsewhere.others)[:2] in (["pcl302", "PCL3o2"], ["PCL3o2", "pcl302"])
    assert found.elsewhere.others["a"] == 2


async def test_a_namespace_that_holds_memories_is_not_empty(agent: Agent) -> None:
    assert (await agent.recall("tea")).elsewhere is None
    await agent.write("Green tea")
    await agent.write("Green tea", namespace="B")
    assert (await agent.recall("coffee")).elsewhere is None
    await agent.archive(1)
    assert (await agent.recall("coffee")).elsewhere is None


async def test_a_locked_process_hears_of_no_other_namespace(agent: Agent) -> None:
    from firmmem.contract import Question
    from firmmem.memory.recall.recall import find

    await agent.write("Green tea", namespace="B")
    locked = Settings(db=agent.database.path, namespace_lock=True)
    found = await agent.database.read(find, Question("default", query="tea"), locked, now=agent.clock())
    assert found.elsewhere is None
