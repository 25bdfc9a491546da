"""Where sessions start: core facts, goals, what was done last, in two languages and over weeks."""

from living.story import HOUR, Story, chapter

ADA = (
    "The user is called Ada",
    "Ada lives in Lisbon",
    "Ada is allergic to peanuts",
    "Ada works as a product manager",
    "Ada writes in British English",
    "Ada's sister is called Nora",
    "Ada's manager is called Tom",
    "Ada uses a Mac and zsh",
    "Ada prefers short answers",
    "Ada's birthday is 9 May",
    "Ada speaks Portuguese",
    "Never delete a file without asking Ada",
)
CHEN = (
    "用户叫陈宇",
    "陈宇住在杭州",
    "陈宇对花生严重过敏",
    "陈宇是后端工程师",
    "陈宇喜欢简洁的回答",
    "不要未经询问就删除文件",
)


@chapter(day=0)
async def core_facts_are_written(story: Story) -> None:
    for fact in ADA:
        story.person_adds(fact, "ada", tags=("rule",) if fact.startswith("Never") else ())
    async with story.session("hermes", "chen") as agent:
        for fact in CHEN:
            await agent.core(fact, tags=["规则"] if fact.startswith("不要") else [])
        story.expect("a session that has only core facts starts with them", "用户叫陈宇" in await agent.recall())


@chapter(day=1)
async def goals_are_opened(story: Story) -> None:
    async with story.session("hermes", "ada") as agent:
        await agent.plan("Launch the app on the App Store by 1 March 2027", "launch the app")
        await agent.plan("Run a half marathon in Porto in spring", "half marathon")
        await agent.plan("Only Swift is used for the app", "launch the app")
        for number in range(8):
            await agent.note(f"Looked at onboarding screen {number}")
    async with story.session("claude-code", "chen") as agent:
        await agent.plan("支付服务在十二月迁移到新机房", "迁移支付服务")
        await agent.note("今天画好了支付服务的依赖图")


@chapter(day=2)
async def the_next_morning(story: Story) -> None:
    async with story.session("claude-code", "ada") as agent:
        start = await agent.recall()
        story.expect("all twelve core facts are at the start", all(fact in start for fact in ADA), start)
        story.expect("both open goals are at the start", "half marathon" in start and "Only Swift" in start, start)
        story.expect("the last session's notes are at the start", "onboarding screen 7" in start, start)
        story.expect("the start says whose session was last", "hermes" in start, start)
    async with story.session("hermes", "chen") as agent:
        start = await agent.recall()
        story.expect("the same in Chinese", all(fact in start for fact in CHEN) and "依赖图" in start, start)


@chapter(day=5)
async def one_process_for_weeks(story: Story) -> None:
    async with story.session("hermes", "votes") as agent:
        await agent.note("The nightly backup runs at three")
        for day in (5, 10, 15, 20):
            story.turn_to(day)
            said = await agent.feedback("positive", *ids(story, "The nightly backup runs at three"))
        story.expect("votes on days 5, 10, 15, 20 of one process count four times", "→ 0.67" in said, said)
        story.clock.now += HOUR
        said = await agent.feedback("positive", *ids(story, "The nightly backup runs at three"))
        story.expect("a second vote within a session counts once", "already said positive" in said, said)


def ids(story: Story, summary: str) -> list[int]:
    """Return the ids of the memories that say this."""
    return [row["id"] for row in story.rows("SELECT id FROM memory WHERE summary = ?", summary)]


@chapter(day=30)
async def plans_are_replaced_and_goals_closed(story: Story) -> None:
    async with story.session("hermes", "ada") as agent:
        first = ids(story, "Launch the app on the App Store by 1 March 2027")
        await agent.plan("The launch is moved to 15 March 2027", "launch the app", supersedes=first)
        start = await agent.recall()
        story.expect("a replaced plan is not at the start", "1 March 2027" not in start.replace("15 March", ""), start)
        story.expect("the plan that replaced it is", "15 March 2027" in start, start)
        await agent.archive(goal_id="half marathon", reason="done")
        start = await agent.recall()
        story.expect("a closed goal is not at the start", "half marathon" not in start, start)


@chapter(day=60)
async def two_months_later(story: Story) -> None:
    async with story.session("cursor", "ada") as agent:
        start = await agent.recall()
        story.expect("core facts never fade", all(fact in start for fact in ADA), start)
        story.expect("an open goal is still there after two months", "15 March 2027" in start, start)
        story.expect("a limit that is named cuts", (await agent.recall(limit=3)).count("\n#") == 3)
