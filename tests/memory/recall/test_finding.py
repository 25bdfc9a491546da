"""Words are found where they are words, in every script, whatever else is in the store."""

from typing import Any

from support.agent import Agent, ids, remembering, serving
from support.stores import Clock

from firmmem.settings import Settings
from firmmem.text.normal_form import estimate_tokens


async def test_what_is_archived_is_gone_at_once_and_unknown_ids_are_not_counted(
    settings: Settings, clock: Clock
) -> None:
    async with remembering(settings, clock, "The cat sleeps") as caller, serving(settings, clock) as other:
        assert await caller.call("archive_memory", memory_ids=[1, 4711]) == "#1 archived\n#4711 not found"
        for each in (caller, other):
            assert await each.memories("cat") == []
            assert await each.memories() == []


async def test_identifiers_addresses_and_contractions_find_first_what_contains_them(
    settings: Settings, clock: Clock
) -> None:
    queries = ["CVE-2024-3094", "a.b@example.com", "node.js", "C++", "don't", "foo:bar", "pre-edit", "C#", "x86_64"]
    queries += ["v1.2.3", "/etc/hosts", "max_tokens", "R&D", "https://a.example/b?c=d", ".env", "2026-01-31", "@ada"]
    parts = ["CVE 3094", "a b", "example com", "node", "js", "C", "don t", "foo", "bar", "pre", "edit", "x86", "v1"]
    parts += ["etc", "max", "tokens", "R", "D", "env", "ada", "2026"]
    noise = [f"only {part} is mentioned, and nothing else of it" for part in parts]
    async with remembering(settings, clock, *noise, *(f"remember {query} well" for query in queries)) as caller:
        for number, query in enumerate(queries, len(noise) + 1):
            assert ids(await caller.memories(query))[0] == number, query


async def test_nothing_that_is_asked_is_read_as_search_syntax(settings: Settings, clock: Clock) -> None:
    odd = ["AND", "OR NOT", "NEAR(", "NEAR(a b, 2)", '"unbalanced', "*", "-", "(", ")", "^a", "a*", "col:a", "{a b}: c"]
    odd += ["", " ", "'", "''; DROP TABLE memory;--", "\\", "\0", "%", "\u202e", "🙂" * 5000, "x" * 1_000_000]
    async with remembering(settings, clock, "The cat sleeps") as caller:
        for query in odd:
            assert len(await caller.memories(query)) == (1 if not query.strip() else 0), query
        assert ids(await caller.memories("cat")) == [1]


async def test_accents_are_optional_and_a_question_finds_what_answers_it(settings: Settings, clock: Clock) -> None:
    async with remembering(settings, clock, "The dog sleeps", "favourite café in Porto: Majestic") as caller:
        for query in ("what was the name of the café we liked in Porto?", "CAFE", "cafe\u0301", "Pórto"):
            assert ids(await caller.memories(query)) == [2]


async def test_every_script_is_found_by_its_words(settings: Settings, clock: Clock) -> None:
    texts = {
        "用户喜欢雾凇拼音输入法": ["雾凇", "雾凇拼音", "输入法", "雾凇拼音输入法"],
        "Пользователь живёт в Москве": ["живёт", "Москве", "москве"],
        "المستخدم يحب القهوة السوداء": ["القهوة", "السوداء"],
        "उपयोगकर्ता दिल्ली में रहता है": ["दिल्ली", "रहता"],
        "ผู้ใช้อาศัยอยู่ในกรุงเทพ": ["กรุงเทพ", "ผู้ใช้"],
        "ships with 🚀 on Fridays 👩‍💻": ["🚀", "👩‍💻"],
        "ユーザーはラーメンが好き": ["ラーメン", "ユーザー"],
        "사용자는 김치를 좋아한다": ["김치", "사용자"],
    }
    async with remembering(settings, clock, *texts) as caller:
        for number, queries in enumerate(texts.values(), 1):
            for query in queries:
                assert ids(await caller.memories(query)) == [number], query


async def test_short_words_are_found_where_they_are_words_and_only_there(settings: Settings, clock: Clock) -> None:
    letters = ["maintaining email chains", "ongoing cargo", "cats scan discs", "trust and dusty rust", "irrational"]
    words = ["AI writes drafts", "Go compiles fast", "C is small", "uses R daily", "ML runs nightly"]
    async with remembering(settings, clock, *letters, *words) as caller:
        for number, query in enumerate(["AI", "Go", "C", "R", "ML"], len(letters) + 1):
            assert ids(await caller.memories(query)) == [number], query


async def test_a_default_recall_keeps_its_budget_over_a_large_store_and_counts_the_rest(
    settings: Settings, clock: Clock
) -> None:
    long = "the migration of the billing service needs another careful review " * 12
    async with remembering(settings, clock, *(f"{number} {long}" for number in range(60))) as caller:
        for said in ({}, {"query": "billing"}, {"limit": 100}, {"query": "billing", "limit": 100, "explain": True}):
            text = await caller.call("recall_memory", **said)
            assert estimate_tokens(text) <= 1500
            shown = sum(line.startswith("#") for line in text.splitlines())
            [left_out] = [line for line in text.splitlines() if line.startswith("Left out: ")]
            assert shown + sum(int(word) for word in left_out.split() if word.isdigit()) == 60


async def test_a_store_about_one_subject_answers_another_with_nothing(settings: Settings, clock: Clock) -> None:
    async with remembering(settings, clock, "Kubernetes pods restart", "用户喜欢雾凇拼音输入法") as caller:
        for query in ("pizza dough", "how do I bake a pizza?", "披萨怎么做"):
            assert await caller.call("recall_memory", query=query) == "Nothing relevant is remembered."


async def test_another_namespace_answers_as_though_the_memory_did_not_exist(settings: Settings, clock: Clock) -> None:
    async with serving(settings, clock) as caller:
        await caller.write("The cat sleeps", namespace="A", goal_id="pets", branch="idea")
        await caller.write("The cat sleeps", namespace="A", goal_id="pets", tags=["pet"])
        await caller.write("The cat sleeps", namespace="B")
        asked: list[dict[str, Any]] = [{}, {"query": "cat"}, {"tags": ["pet"]}, {"include_archived": True}]
        asked += [{"goal_id": "pets"}, {"branch": "idea"}, {"query": "cat", "branch": "idea", "explain": True}]
        for said in asked:
            assert set(ids(await caller.memories(**said, namespace="B"))) <= {3}
        before = await caller.memories(namespace="A", branch="idea", explain=True)
        for tool, said in [
            ("memory_feedback", {"outcome": "negative"}),
            ("memory_feedback", {"outcome": "verified"}),
            ("archive_memory", {}),
            ("archive_memory", {"restore": True}),
        ]:
            foreign = await caller.call(tool, memory_ids=[1], **said, namespace="B")
            unknown = await caller.call(tool, memory_ids=[999], **said, namespace="B")
            assert foreign == unknown.replace("999", "1") == "#1 not found"
        assert "#1 was not superseded: not found" in await caller.write("Else", supersedes=[1, 2], namespace="B")
        for tool in ("archive_memory", "memory_feedback"):
            said = await caller.call(tool, branch="idea", goal_id="pets", outcome="verified", namespace="B")
            assert "branch 'idea' holds no memories" in said
        assert await caller.memories(namespace="A", branch="idea", explain=True) == before


async def test_many_core_facts_leave_room_for_a_goal(agent: Agent) -> None:
    for number in range(12):
        await agent.write(f"The user owns instrument {number}", "core")
    goal = await agent.write("Ship the release by June", "strategic", goal_id="release")
    told = (await agent.recall()).memories
    assert [memory.tier for memory in told] == ["core"] * 12 + ["strategic"]
    assert told[-1].id == goal.id
    assert (await agent.recall(limit=10, tiers=("core",))).left_out == {"core": 2}


async def test_after_core_facts_the_best_match_comes_first_whatever_its_tier(agent: Agent) -> None:
    await agent.write("The user likes tea", "core")
    await agent.write("Open a tea shop", "strategic", goal_id="shop")
    exact = await agent.write("Green tea brewing temperature is 80 degrees")
    told = (await agent.recall("green tea brewing temperature")).memories
    assert [told[0].tier, told[1].id] == ["core", exact.id]
