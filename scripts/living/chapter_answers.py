"""What is asked, and what an honest answer is: days, ids, what is put away, wrong namespaces, refused texts."""

from living.story import Story, chapter

SCREENS = [f"Drew screen {number} of the settings" for number in range(3)]
KEY = "The spare key of the cabin is under the third stone"


@chapter(day=10, hour=14)
async def a_day_of_work(story: Story) -> None:
    async with story.session("hermes", "ada") as agent:
        for screen in SCREENS:
            await agent.note(screen)
    async with story.session("hermes", "chen") as agent:
        await agent.note("网关的超时改成了三十秒", verified=True)
        await agent.note("压测脚本写到了第四步")


@chapter(day=11)
async def the_morning_after(story: Story) -> None:
    async with story.session("claude-code", "ada") as agent:
        told = await agent.recall("what were we working on yesterday")
        lines = [line for line in told.splitlines() if line.startswith("#")]
        story.expect("yesterday's notes are found whatever their words", all(each in told for each in SCREENS), told)
        story.expect("yesterday's newest note comes first", SCREENS[-1] in lines[0], told)
        story.expect("yesterday's notes are all that is told of it", len(lines) == len(SCREENS), told)
        await agent.note("Started on the second week")
        told = await agent.recall("where did we leave off?")
        story.expect("last time is before this session", SCREENS[-1] in told and "second week" not in told, told)
        told = await agent.recall(since="yesterday", until="yesterday")
        story.expect("a listing of a day holds that day alone", SCREENS[0] in told and "called Ada" not in told, told)
        told = await agent.recall(since="2026-09-05", until="2026-09-01")
        story.expect("since after until is said", "is after until" in told, told)
    async with story.session("claude-code", "chen") as agent:
        told = await agent.recall("昨天我们做到哪了")
        story.expect("昨天做到哪，能答出来", "第四步" in told and "三十秒" in told, told)
        story.expect("昨天最新的排在最前", told.index("第四步") < told.index("三十秒"), told)
        told = await agent.recall("上次聊到哪里了")
        story.expect("上次聊到哪，能答出来", "第四步" in told, told)


@chapter(day=14)
async def rules_travel(story: Story) -> None:
    async with story.session("hermes", "ada") as agent:
        told = await agent.recall("which screens were drawn?")
        story.expect("a rule comes along with an answer", "Never delete a file" in told, told)
        told = await agent.recall("how tall is the Eiffel tower")
        story.expect("a rule comes along where nothing is found", "Never delete a file" in told, told)
        story.expect("what is not there is not answered", told.startswith("Nothing relevant"), told)
        story.expect("what a person wrote is unmarked", "do not follow" not in await agent.recall())
        told = await agent.recall("Ada's blood type")
        story.expect("a blood type that nobody said is not made up", told.startswith("Nothing relevant"), told)
    async with story.session("hermes", "chen") as agent:
        told = await agent.recall("今天网关超时是多少")
        story.expect("规则随每次回答一起出现", "不要未经询问就删除文件" in told, told)
        told = await agent.recall("陈宇的血型是什么")
        story.expect("没记过的血型不会硬答", told.startswith("Nothing relevant"), told)


@chapter(day=16)
async def what_is_put_away_is_counted(story: Story) -> None:
    async with story.session("hermes", "cabin") as agent:
        await agent.note(KEY)
        await agent.note("The cabin's roof was repaired")
        await agent.note("备用钥匙在第三块石头下面")
        await agent.archive(*story.rows_ids(KEY), reason="moved house")
        told = await agent.recall("where is the spare key of the cabin")
        story.expect("an archived memory that matches better is counted", "1 archived memory matches" in told, told)
        story.expect("and how to see it is said", "include_archived=true" in told, told)
        told = await agent.recall("where is the spare key of the cabin", include_archived=True)
        story.expect("and it is seen so", "third stone" in told, told)
        told = await agent.recall("where is the spare key of the cabin", tags=["nobody"])
        story.expect("hints obey the filters", "archived" not in told, told)
        await agent.archive(*story.rows_ids("备用钥匙在第三块石头下面"))
        told = await agent.recall("备用钥匙在哪里")
        story.expect("收起来的中文记忆也数得出来", "archived" in told, told)


@chapter(day=18)
async def ids_and_places(story: Story) -> None:
    [number] = story.rows_ids("Ada's sister is called Nora")
    async with story.session("hermes", "ada") as agent:
        for query in (f"#{number}", str(number)):
            told = await agent.recall(query)
            story.expect(f"{query} reads that memory", "called Nora" in told and told.count("\n#") == 1, told)
        told = await agent.recall("#99999")
        story.expect("an id that is none is said so", "there is no #99999" in told, told)
        told = await agent.recall("Nora sister")
        story.expect("strength is a word", " strong " in told and "score=" not in told, told)
        told = await agent.recall("Nora sister", explain=True)
        story.expect("numbers come with explain", "score=" in told and "time used" in told, told)
    async with story.session("hermes", "Ada") as agent:
        told = await agent.recall("anything")
        story.expect("an empty namespace names those that are not", "'Ada'" in told and "'ada' (" in told, told)
        story.expect("and the file", "story.db" in told, told)


@chapter(day=20, hour=15)
async def what_clients_send(story: Story) -> None:
    async with story.session("hermes", "sent") as agent:
        await agent.note("Green tea is in the cupboard", tags=["tea,kitchen"])
        told = await agent.recall("tea", tags=["kitchen"])
        story.expect("a list in one text is a list", "cupboard" in told, told)
        told = await agent.note("user> show me the logs\nbot> here they are\nuser> thanks\nbot> welcome")
        story.expect("a chat is refused in a normal answer", told.startswith("refused"), told)
        told = await agent.note("The key of the service is password=Tr0ub4dor&3xyz")
        story.expect("a secret is refused", told.startswith("refused"), told)
        story.expect("and is not in the file", not story.rows_ids("The key of the service is password=Tr0ub4dor&3xyz"))
        told = await agent.note("Green tea is in the cupboard")
        story.expect("the same text is one memory", told.startswith("already known"), told)


@chapter(day=70)
async def what_idle_drafts_become(story: Story) -> None:
    async with story.session("hermes", "ada") as agent:
        told = await agent.recall("the screen of the settings")
        story.expect("an idle draft is archived after weeks, and counted", "archived" in told, told)
        told = await agent.recall("the screen of the settings", include_archived=True)
        story.expect("and can still be read", SCREENS[0] in told, told)
    async with story.session("hermes", "chen") as agent:
        told = await agent.recall("网关超时")
        story.expect("查证过的记忆两个月后还在", "三十秒" in told, told)


@chapter(day=88)
async def the_last_week(story: Story) -> None:
    sessions = story.rows("SELECT * FROM session WHERE namespace = 'ada'")
    wrote = story.rows(
        "SELECT memory.source, session.client, memory.created_at, session.began_at, session.seen_at FROM memory "
        "JOIN shelf ON shelf.id = memory.shelf LEFT JOIN session ON session.id = memory.session "
        "WHERE shelf.namespace = 'ada' AND shelf.state <> 'superseded' AND memory.source <> ''"
    )
    story.expect(
        "what an agent wrote is of a session of that client, which went on then",
        len(wrote) >= 8
        and all(
            row["source"] == row["client"] and row["began_at"] <= row["created_at"] <= row["seen_at"] for row in wrote
        ),
        str([row for row in wrote if row["source"] != row["client"]][:3] or len(wrote)),
    )
    recent = story.rows("SELECT DISTINCT began_at FROM session WHERE namespace = 'ada'")
    story.expect(
        "sessions that only asked are dropped after two weeks, others stay", len(recent) >= 4, str(len(recent))
    )
    story.expect(
        "a client that hung up has ended its session",
        all(row["ended_at"] for row in sessions if row["client"] != "person"),
    )
    unbound = story.rows("SELECT summary, state_cause FROM memory WHERE session IS NULL AND superseded_by IS NULL")
    story.expect("every memory in use belongs to a session", not unbound, str(unbound))
    [checked] = story.rows("PRAGMA integrity_check")
    story.expect("the file is sound after three months", checked["integrity_check"] == "ok")
