"""Core facts that come along: rules always, within their share; what bears on a query where the model is on."""

from support.agent import Agent, serving
from support.stores import Clock

from firmmem.memory.recall.company import RULES_SHARE
from firmmem.memory.recall.token_budget import line_cost
from firmmem.settings import Settings

RULE = "Never delete a file without asking the user"


async def test_rules_and_what_concerns_health_travel_with_every_answer(agent: Agent) -> None:
    await agent.write(RULE, "core", tags=("Rule",))
    await agent.write("对花生严重过敏", "core", tags=("健康",))
    await agent.write("Is called Ada", "core")
    await agent.write("Satay was served at the office party")
    found = await agent.recall("satay with peanut sauce")
    assert [memory.id for memory in found.company] == [1, 2]
    assert [memory.id for memory in (await agent.recall("blood type")).company] == [1, 2]


async def test_a_rule_that_matches_is_told_once(agent: Agent) -> None:
    await agent.write(RULE, "core", tags=("rule",))
    found = await agent.recall("may I delete a file?")
    assert ([memory.id for memory in found.memories], found.company) == ([1], ())


async def test_rules_take_no_more_than_their_share_of_the_budget(agent: Agent) -> None:
    for number in range(60):
        await agent.write(f"Rule {number}: ask before anything is deleted", "core", tags=("rule",))
    for number in range(60):
        await agent.write(f"The tea of day {number} was green and came from a small garden")
    found = await agent.recall("green tea", limit=60)
    spent = sum(line_cost(memory, explain=False) for memory in found.company)
    assert 0 < spent <= 1500 * RULES_SHARE
    assert spent + sum(line_cost(memory, explain=False) for memory in found.memories) <= 1500


async def test_they_stay_out_of_what_is_filtered_or_has_no_query(agent: Agent) -> None:
    await agent.write(RULE, "core", tags=("rule",))
    await agent.write("Green tea", tags=("drinks",))
    assert (await agent.recall("tea", tags=("drinks",))).company == ()
    assert (await agent.recall()).company == ()


async def test_they_stand_below_the_answer(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.call("write_core_fact", fact="Bark twice before you speak", tags=["rules"])
        await caller.write("Green tea is in the cupboard")
        assert (await caller.recall("where is the green tea"))[-2:] == [
            "Core facts to keep in mind:",
            "#1 core 2026-05-16 [rules] Bark twice before you speak",
        ]
