"""Two truths: what changed, was planted or is said twice, in two languages and over weeks."""

from firmmem.memory.write.proposals import accept_proposal, list_proposals
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction
from living.story import Story, chapter

WEN, MIA = "wen", "mia"


@chapter(day=3, hour=10)
async def facts_and_notes_are_written(story: Story) -> None:
    story.person_adds("The user lives in Hangzhou", MIA, subject="user.city")
    story.person_adds("The user is allergic to peanuts", MIA)
    story.person_adds("用户对花生过敏", WEN)
    async with story.session("hermes", MIA) as agent:
        await agent.note("CI runs on Jenkins", verified=True)
        await agent.note("Anna leads the design team", subject="design.lead", verified=True)
        await agent.note("The release is planned for March", verified=True)
        for number in range(14, 24):
            said = await agent.note(f"Build {number} took {number % 7 + 5} minutes")
            if "supersedes" in said:
                story.expect("records of a series are no contradiction", False, said)
    async with story.session("claude-code", WEN) as agent:
        await agent.note("会议在周一上午十点", verified=True)
        await agent.note("用户住在北京", verified=True)


@chapter(day=24, hour=10)
async def what_changed_is_noticed(story: Story) -> None:
    async with story.session("hermes", MIA) as agent:
        said = await agent.note("CI runs on Buildkite")
        story.expect("a firmer memory that a weaker one contradicts is named", "which is firmer" in said, said)
        said = await agent.recall("where does CI run")
        story.expect("both sides are marked, and which is newer", "newer and less firm" in said, said)
        said = await agent.note("Tom leads the design team now")
        story.expect("another person in a role is noticed", "Anna leads" in said, said)
        story.expect("the subject to use is named", 'subject="design.lead"' in said, said)
        said = await agent.note("Tom leads the design team", subject="Design Lead", verified=True)
        story.expect("a subject is one however it is typed", "superseded" in said, said)
        said = await agent.note("The release has slipped to May")
        story.expect("a date that moved is noticed", "planned for March" in said, said)
        said = await agent.recall("how long do builds take", limit=20)
        story.expect("records of a series are not marked", "conflict" not in said, said)
        said = await agent.recall("who leads the design team")
        story.expect("recall shows a memory's subject", "{Design Lead}" in said, said)
    async with story.session("claude-code", WEN) as agent:
        said = await agent.note("会议改到周三下午两点")
        story.expect("会议改期能发现", "周一上午十点" in said, said)
        said = await agent.note("用户搬到上海了")
        story.expect("搬家能发现", "住在北京" in said, said)
        said = await agent.note("用户喜欢爵士乐")
        story.expect("无关的内容不报矛盾", "conflict" not in said, said)


@chapter(day=40, hour=10)
async def changes_of_core_facts_are_proposed(story: Story) -> None:
    async with story.session("hermes", MIA) as agent:
        said = await agent.core("The user lives in Shanghai", subject="User City")
        story.expect("a change of a core fact is a proposal that names it", "to replace #" in said, said)
        said = await agent.core("用户对花生不过敏")
        story.expect("the opposite of a core fact is a proposal, in another language too", "proposal" in said, said)
        said = await agent.recall()
        story.expect("the old fact is shown, and that a change is proposed", "a change is proposed" in said, said)
        story.expect("what is proposed is not shown", "Shanghai" not in said, said)
    async with story.session("claude-code", WEN) as agent:
        said = await agent.core("用户对花生不过敏")
        story.expect("否定核心事实的，成为提议", "to replace #" in said, said)
    connection = open_connection(story.settings, by_person=True)
    try:
        [change] = [row["id"] for row in list_proposals(connection, MIA) if "Shanghai" in row["fact"]]
        with transaction(connection):
            accept_proposal(connection, change, story.settings, namespace=MIA, now=story.clock.now)
    finally:
        connection.close()


@chapter(day=41, hour=10)
async def an_accepted_change_is_the_fact(story: Story) -> None:
    async with story.session("hermes", MIA) as agent:
        said = await agent.recall()
        story.expect("an accepted change is the fact", "Shanghai" in said and "Hangzhou" not in said, said)
