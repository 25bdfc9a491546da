import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agent import Agent
from support.stores import Clock, planted

from firmmem import scoring
from firmmem.contract import TIERS, Question, Recalled, RecalledMemory
from firmmem.errors import InvalidTextError
from firmmem.memory.recall.limits import Caps
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.token_budget import FRAME_TOKENS, LEAST_TOKENS, cut_to_budget, line_cost, memory_budget
from firmmem.render import replies
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection
from firmmem.text.normal_form import estimate_tokens


@pytest.fixture
def agent(database: Database, clock: Clock) -> Agent:
    return Agent(database, clock)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A file that many questions are asked of."""
    connection = open_connection(Settings(db=tmp_path_factory.mktemp("store") / "firmmem.db"))
    for text in ("the cat sleeps", "用户喜欢猫", "a.b@example.com"):
        planted(connection, summary=text, tags=("0", "a"), branch="")
    yield connection
    connection.close()


async def remembering(agent: Agent, *texts: str) -> Agent:
    for text in texts:
        await agent.write(text)
    return agent


async def told(agent: Agent, query: str = "", **said: object) -> str:
    """The whole text of a recall."""
    question = Question("default", query=query, **said)  # type: ignore[arg-type]
    settings = agent.database.settings
    result = await agent.recall(query, **said)
    return replies.render_recalled(result, question, prior_strength=settings.prior_strength, now=agent.clock())


async def test_without_a_query_tiers_are_told_firmest_first(agent: Agent) -> None:
    for tier in ("draft", "validated", "core", "strategic"):
        await agent.write(f"the {tier} one", tier, goal_id="g")
    assert [memory.tier for memory in (await agent.recall()).memories] == list(TIERS)


async def test_with_a_query_core_facts_come_first_and_the_rest_by_score(agent: Agent) -> None:
    await agent.write("tea tea tea, always tea")
    await agent.write("the user drinks a pot of tea every single morning before work", "core")
    assert await agent.found("tea") == [2, 1]


async def test_an_empty_store_and_a_store_about_something_else_answer_with_nothing(agent: Agent) -> None:
    assert await told(agent) == "Nothing is remembered here yet."
    await remembering(agent, "Kubernetes pods restart", "the ingress is nginx")
    assert await told(agent, "pizza dough") == "Nothing relevant is remembered."


async def test_nothing_that_passes_a_filter_is_not_nothing_at_all(agent: Agent) -> None:
    await remembering(agent, "A statement")
    filters: list[dict[str, object]] = [{"tags": ("x",)}, {"tiers": ("core",)}, {"since": agent.clock.now + 1}]
    for each in filters:
        assert await told(agent, **each) == "No memory passes these filters."


IDENTIFIERS = {
    "CVE-2024-3094": "the backdoor is CVE-2024-3094 in xz",
    "a.b@example.com": "write to a.b@example.com about invoices",
    "node.js": "services run on node.js",
    "C++": "the engine is written in C++",
    "don't": "don't call before noon",
    "foo:bar": "the key is foo:bar",
    "pre-edit": "the pre-edit hook formats code",
    "AI": "AI research interests her",
    "Go": "the agent is written in Go",
    "C": "the driver is written in C",
}
NOISE = [
    "the node answers slowly and js is off",
    "an example com a b list",
    "edit the draft before the meeting",
    "foo is here, bar is there",
    "call the dentist at noon",
    "training and maintaining a container again",
    "google and mongo and cargo",
    "cats, cars and code",
    "vitamins and such: CVE 2023 3095",
]


@pytest.mark.parametrize("query", IDENTIFIERS)
async def test_an_identifier_finds_first_the_memory_that_has_it(agent: Agent, query: str) -> None:
    await remembering(agent, *NOISE, *IDENTIFIERS.values())
    first = (await agent.recall(query)).memories[0]
    assert first.summary == IDENTIFIERS[query]


@pytest.mark.parametrize("query", ["AI", "Go", "C"])
async def test_a_short_word_does_not_match_what_only_contains_its_letters(agent: Agent, query: str) -> None:
    await remembering(agent, *NOISE)
    assert await agent.found(query) == []


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("favourite café in Porto: Majestic", ["what was the name of the café we liked in Porto?", "cafe", "porto"]),
        ("用户喜欢雾凇拼音输入法", ["雾凇", "雾凇拼音", "输入法", "用户用什么输入法？"]),
        ("Пользователь любит чай с лимоном", ["чай", "лимоном"]),
        ("المستخدم يفضل القهوة", ["القهوة", "قهوة القهوة"]),
        ("उपयोगकर्ता को चाय पसंद है", ["चाय", "पसंद"]),
        ("ผู้ใช้ชอบดื่มกาแฟ", ["กาแฟ"]),
        ("celebrates releases with 🎉 and 🍕", ["🎉", "🍕"]),
        ("東京に住んでいる", ["東京"]),
        ("서울에 살고 있다", ["서울"]),
        ("Ｆｕｌｌｗｉｄｔｈ text", ["fullwidth"]),
        ("running the marathons", ["run marathon"]),
        ("the year-end party, January 9th", ["party in january"]),
    ],
)
async def test_words_of_every_script_are_found(agent: Agent, text: str, queries: list[str]) -> None:
    await remembering(agent, *NOISE, "今天天气很好", "Сегодня хорошая погода")
    written = await agent.write(text)
    for query in queries:
        assert (await agent.found(query))[:1] == [written.id], query


@pytest.mark.parametrize("query", ["我是谁", "who am I", "what is this", "的"])
async def test_a_query_of_stop_words_alone_is_searched_with_them(agent: Agent, query: str) -> None:
    await remembering(agent, "Kubernetes pods restart")
    assert await agent.found(query) == []
    written = await agent.write(f"She asked: {query}")
    assert await agent.found(query) == [written.id]


@pytest.mark.parametrize("query", ["*", "-", "(", '"', "...", "\u200b", "\0", "\ud800"])
async def test_a_query_without_words_says_so(agent: Agent, query: str) -> None:
    await remembering(agent, "A statement")
    result = await agent.recall(query)
    assert (result.memories, result.notes) == ((), ("the query has no words to look for",))


@pytest.mark.parametrize(
    "query",
    ["AND", "OR", "NOT", "NEAR(", "NEAR(cat, 5)", '"unbalanced', "cat*", "^cat", "words:cat", "cat -fish", "{cat}",
     "cat'; DROP TABLE memory; --", "a" * 1_000_000, "cat " * 250_000, "猫" * 300_000],
)  # fmt: skip
async def test_no_query_is_syntax(agent: Agent, query: str) -> None:
    await remembering(agent, "the cat sleeps", "dogs bark")
    found = await agent.found(query)
    assert found == ([1] if "cat" in query else [])


async def test_a_word_of_a_longer_query_is_enough(agent: Agent) -> None:
    await remembering(agent, "the cat sleeps on the sofa")
    assert await agent.found("does any elephant, zebra or cat live here") == [1]


async def test_relevance_leads_over_age_and_trust(agent: Agent) -> None:
    await agent.write("the vault combination hint is the lighthouse keeper's birthday")
    await agent.feedback("negative", 1)
    agent.clock.pass_days(300)
    for number in range(50):
        await agent.write(f"the vault was cleaned, report {number}", "validated")
    assert 1 in await agent.found("vault combination hint lighthouse", limit=3)


async def test_what_was_written_beside_a_match_supports_it(agent: Agent) -> None:
    for text in ("the boiler makes a noise", "the plumber called", "the cat sleeps"):
        await agent.write(text)
        agent.clock.pass_days(1 / 1440)
    agent.clock.pass_days(1)
    await agent.write("the plumber married")
    [boiler, called, married] = (await agent.recall("boiler noise plumber")).memories
    assert [boiler.id, called.id, married.id] == [1, 2, 4]
    assert called.words_relevance == married.words_relevance == married.relevance < called.relevance
    assert called.relevance == pytest.approx(scoring.lift_by_context(called.words_relevance, scoring.CONTEXT[0]))
    assert "lifted by what was written beside it" in await told(agent, "boiler noise plumber", explain=True)


async def test_no_context_age_or_trust_outranks_the_best_match(agent: Agent) -> None:
    await agent.write("the vault combination hint is the lighthouse keeper's birthday")
    await agent.feedback("negative", 1)
    agent.clock.pass_days(300)
    for number in range(30):
        await agent.write(f"the vault combination hint was changed, report {number}", "validated")
    first = (await agent.recall("vault combination hint lighthouse keeper birthday")).memories
    best = max(first, key=lambda memory: memory.score)
    assert (best.id, best.relevance) == (1, 1)


async def test_what_lies_hours_or_a_namespace_apart_supports_nothing(agent: Agent) -> None:
    await agent.write("the boiler makes a noise")
    agent.clock.pass_days(0.5)
    await agent.write("the plumber called")
    await agent.write("the boiler makes another noise", namespace="elsewhere")
    for memory in (await agent.recall("boiler noise plumber")).memories:
        assert memory.relevance == memory.words_relevance


async def test_what_was_written_on_the_days_a_query_states_is_found_without_naming_them(agent: Agent) -> None:
    for days, text in ((0, "Bob fixed the boiler"), (40, "Bob painted the fence"), (1, "Ann called"), (1, "rain")):
        agent.clock.pass_days(days)
        await agent.write(text)
    assert await agent.found("What happened yesterday?") == [3]
    assert await agent.found("昨天发生了什么?") == [3]
    assert (await agent.found("What did Bob do a month ago?"))[0] == 1
    assert (await agent.found("What did Bob do this month?"))[0] == 2


async def test_a_day_without_a_year_is_the_latest_on_which_something_was_written(agent: Agent) -> None:
    await remembering(agent, "Bob fixed the boiler")  # the clock begins on 16 May
    agent.clock.pass_days(31)
    await remembering(agent, "Bob painted the boiler", "Bob sold the boiler")
    agent.clock.pass_days(500)
    assert (await agent.found("What did Bob do with the boiler in May?"))[0] == 1
    await remembering(agent, "Bob heated the boiler")  # in October
    agent.clock.pass_days(365)
    assert (await agent.found("What did Bob do with the boiler in October?"))[0] == 4


async def test_a_stated_day_is_preferred_and_buries_nothing(agent: Agent) -> None:
    await agent.write("Bob says that the vault opens with a brass key")
    agent.clock.pass_days(40)
    await remembering(agent, *(f"Bob says something about number {number}" for number in range(30)))
    agent.clock.pass_days(1)
    asked = "What did Bob say yesterday about the brass key of the vault?"
    assert (await agent.found(asked, limit=3))[0] == 1


async def test_a_stated_day_of_which_nothing_is_known_hides_no_answer(agent: Agent) -> None:
    await remembering(agent, "the vault opens with a brass key", "rain")
    agent.clock.pass_days(400)
    for asked in ("which key did the vault need last Tuesday?", "the key of the vault two weeks ago"):
        assert await agent.found(asked) == [1]


@pytest.mark.parametrize("counted", [8_000, 10])
async def test_a_day_on_which_all_was_written_weighs_nothing(agent: Agent, counted: int) -> None:
    await remembering(
        agent, "the cat sleeps on the sofa", *(f"the cat ate fish number {number}" for number in range(30))
    )
    without_day = (await capped(agent, "the sofa of the cat", dated=counted)).memories
    with_day = (await capped(agent, "the sofa of the cat today", dated=counted)).memories
    assert [memory.id for memory in with_day] == [memory.id for memory in without_day]
    for one, other in zip(with_day, without_day, strict=True):
        assert one.words_relevance == pytest.approx(other.words_relevance, abs=0.01)


async def capped(agent: Agent, query: str, **caps: int) -> Recalled:
    """Return what a recall with other caps finds."""
    question = Question("default", query=query)
    return await agent.database.read(find, question, agent.database.settings, caps=Caps(**caps), now=agent.clock())


async def test_a_text_that_names_a_day_is_found_by_one_that_only_today_explains(agent: Agent) -> None:
    await agent.write("dentist at noon on 19 May")  # the clock begins on 16 May
    await agent.write("dentist at noon on 3 June")
    assert (await agent.found("the dentist three days from now, or next Tuesday"))[0] == 1


async def test_the_limit_is_kept_and_the_rest_counted(agent: Agent) -> None:
    await remembering(agent, *(f"the cat number {number}" for number in range(25)))
    result = await agent.recall("cat", limit=4)
    assert (len(result.memories), result.more) == (4, 21)
    listing = await agent.recall(limit=4)
    assert (len(listing.memories), listing.left_out) == (4, {"draft": 21})
    assert "Left out: 21 drafts." in await told(agent, limit=4)


async def test_tiers_narrow_a_recall_with_and_without_a_query(agent: Agent) -> None:
    for tier in TIERS:
        await agent.write(f"the {tier} cat", tier, goal_id="g")
    for query in ("", "cat"):
        assert await agent.found(query, tiers=("validated",)) == [3]
        assert sorted(await agent.found(query, tiers=("core", "draft"))) == [1, 4]


async def test_any_of_the_tags_is_enough_in_any_case(agent: Agent) -> None:
    await agent.write("one cat", tags=("Home Office",))
    await agent.write("two cats", tags=("travel", "Ａ"))
    await agent.write("three cats")
    for query in ("", "cats"):
        assert await agent.found(query, tags=("home office",)) == [1]
        assert sorted(await agent.found(query, tags=("HOME  OFFICE", "a"))) == [1, 2]
        assert await agent.found(query, tags=("home",)) == []


async def test_dates_narrow_a_recall_half_open(agent: Agent) -> None:
    start = agent.clock.now
    for number in range(3):
        await agent.write(f"cat number {number}")
        agent.clock.pass_days(1)
    for query in ("", "cat"):
        assert await agent.found(query, since=start + 86_400, until=start + 2 * 86_400) == [2]
        assert sorted(await agent.found(query, since=start + 1)) == [2, 3]
        assert await agent.found(query, until=start) == []


async def test_a_filter_that_lets_more_through_than_is_shown_says_so(agent: Agent) -> None:
    for number in range(5):
        await agent.write(f"cat number {number}", tags=("pet",))
    assert (await agent.recall(tags=("pet",), limit=5)).notes == ()
    assert (await agent.recall(tags=("pet",), limit=4)).notes[0].startswith("more memories pass the filters")


async def test_archived_memories_are_told_when_asked_for(agent: Agent) -> None:
    await remembering(agent, "the cat sleeps", "the dog barks")
    await agent.archive(1)
    assert await agent.found("cat") == []
    assert await told(agent, "cat") == (
        "Nothing relevant is remembered.\n1 archived memory matches: include_archived=true shows it."
    )
    assert await agent.found("cat", include_archived=True) == [1]
    assert "(archived) the cat sleeps" in await told(agent, "cat", include_archived=True)
    assert sorted(await agent.found(include_archived=True)) == [1, 2]


async def test_the_archive_of_main_memory_is_counted_for_a_branch_too(agent: Agent) -> None:
    await remembering(agent, "the cat sleeps")
    await agent.write("another cat", branch="idea")
    await agent.archive(1)
    await agent.archive(branch="idea")
    assert (await agent.recall("cat", branch="idea")).put_away == {"archived": 2}


async def test_namespaces_do_not_see_each_other(agent: Agent) -> None:
    await agent.write("the cat sleeps")
    await agent.write("the cat sleeps", namespace="B", tags=("pet",), goal_id="g")
    everything: list[dict[str, object]] = [{}, {"tags": ("pet",)}, {"goal_id": "g"}, {"include_archived": True}]
    for said in everything:
        assert 2 not in await agent.found(**said)
        assert 2 not in await agent.found("cat", **said)
    assert await agent.found("cat", namespace="B") == [2]
    assert await agent.found("cat", namespace="b") == []


async def test_names_are_asked_for_as_they_were_written(agent: Agent) -> None:
    await agent.write("the cat sleeps", namespace=" my  place", branch="an\tidea", goal_id="the  goal")
    said = {"namespace": "my place ", "branch": " an idea", "goal_id": "the goal"}
    [memory] = (await agent.recall("cat", **said)).memories
    assert (memory.branch, memory.goal, memory.alignment) == ("an idea", "the goal", 1.0)
    with pytest.raises(InvalidTextError):
        await agent.recall(namespace="\ud800")


async def test_a_branch_is_seen_only_by_a_recall_that_names_it(agent: Agent) -> None:
    await agent.write("the cat sleeps")
    await agent.write("the cat dreams", branch="idea")
    await agent.write("the cat flies", branch="other")
    for query in ("", "cat"):
        assert await agent.found(query) == [1]
        assert sorted(await agent.found(query, branch="idea")) == [1, 2]
        assert await agent.found(query, branch="unknown") == [1]


async def test_memories_of_the_goal_asked_about_come_first(agent: Agent) -> None:
    for goal in ("alpha", "beta"):
        await agent.write(f"{goal} ships in May", "strategic", goal_id=goal)
    assert await agent.found(goal_id="beta") == [2, 1]
    assert await agent.found("ships may", goal_id="beta") == [2, 1]
    assert [memory.alignment for memory in (await agent.recall(goal_id="beta")).memories] == [1.0, 0.6]


async def test_memories_of_a_closed_goal_are_not_recalled_unless_asked_for(agent: Agent) -> None:
    await agent.write("alpha ships in May", "strategic", goal_id="alpha")
    await agent.write("alpha needs a logo", goal_id="alpha")
    await agent.archive(goal_id="alpha")
    assert await agent.found() == []
    assert await agent.found("alpha") == []
    assert (await agent.recall(goal_id="alpha")).notes == (
        "goal 'alpha' is closed; include_archived=true shows its memories",
    )
    assert sorted(await agent.found("alpha", include_archived=True)) == [1, 2]


async def test_a_goal_that_nothing_serves_is_told_and_the_rest_still_shown(agent: Agent) -> None:
    await remembering(agent, "the cat sleeps")
    result = await agent.recall(goal_id="unheard of")
    assert result.notes == ("no memory serves a goal 'unheard of'",)
    assert [memory.alignment for memory in result.memories] == [0.6]


@pytest.mark.parametrize(
    ("token_budget", "explain"), [(120, False), (300, False), (1500, False), (200, True), (1500, True)]
)
@pytest.mark.parametrize("query", ["", "cat 猫"])
async def test_ten_thousand_memories_fit_the_budget_and_what_is_left_out_is_told(
    agent: Agent, query: str, token_budget: int, explain: bool
) -> None:
    def fill(connection: Connection) -> None:
        for number in range(10_000 if (token_budget, explain, query) == (1500, False, "") else 300):
            text = f"cat number {number} " + ("sleeps soundly " * (number % 9) if number % 2 else "猫在睡觉" * 9)
            planted(connection, summary=text, tags=("pet", f"t{number % 7}"), goal="g" if number % 3 else "")

    await agent.database.write(fill)
    for limit in (10, 100):
        text = await told(agent, query, token_budget=token_budget, limit=limit, explain=explain)
        assert estimate_tokens(text) <= token_budget
        assert re.search(r"Left out: .*\d+ (draft|more that match)", text)


@pytest.mark.parametrize("text", ["word " * 399, "猫狗" * 999])
async def test_one_long_memory_is_cut_to_the_budget_and_the_cut_told(agent: Agent, text: str) -> None:
    await agent.write(text, tags=("t" * 200, "猫" * 200))
    for query in ("", "word 猫"):
        result = await told(agent, query, token_budget=200)
        assert estimate_tokens(result) <= 200
        assert "… \nnote: #1 is cut to the token_budget" in result.replace("…\n", "… \n")
        assert "cut to" not in await told(agent, query, token_budget=20_000)


@given(
    summary=st.text(alphabet="ab 猫狗", min_size=1, max_size=300),
    budget=st.integers(LEAST_TOKENS, 400),
    explain=st.booleans(),
)
def test_a_cut_memory_costs_no_more_than_the_budget_or_the_least(summary: str, budget: int, explain: bool) -> None:
    memory = memory_saying(summary)
    shorter = cut_to_budget(memory, budget, explain=explain)
    least = line_cost(memory_saying(""), explain=explain) + LEAST_TOKENS
    assert line_cost(shorter, explain=explain) <= max(budget, least) + 1  # the ellipsis
    assert summary.startswith(shorter.summary.removesuffix("…"))


def memory_saying(summary: str) -> RecalledMemory:
    numbers = dict.fromkeys(
        ("created_at", "reviewed_at", "consolidation", "importance", "strength", "half_life", "decay", "rfm"), 1.0
    )
    return RecalledMemory(
        1, "draft", "active", "", "", "", summary, (), "", suspect=False, recall_count=0,
        trust=1, alignment=1, relevance=1, score=1, **numbers,
    )  # fmt: skip


def test_the_smallest_budget_still_tells_something() -> None:
    assert memory_budget(Question("n", token_budget=50)) == LEAST_TOKENS
    assert memory_budget(Question("n", token_budget=1500)) == 1500 - FRAME_TOKENS


NUMBER = r"(\d+(?:\.\d+)?)"


@pytest.mark.parametrize("prior_strength", [0.0, 0.1, 0.35, 1.0])
def test_the_score_explained_is_the_product_of_what_is_printed(
    connection: Connection, settings: Settings, clock: Clock, prior_strength: float
) -> None:
    settings = settings.model_copy(update={"prior_strength": prior_strength})
    planted(connection, summary="the cat sleeps", goal="g")
    planted(connection, summary="the cat and the dog sleep", created_at=clock.now)
    now = clock.pass_days(3.5)
    for query in ("", "cat dog"):
        question = Question("default", query=query, goal_id="g", explain=True)
        result = find(connection, question, settings, now=now)
        text = replies.render_recalled(result, question, prior_strength=prior_strength, now=now)
        lines = [line for line in text.splitlines() if line.startswith("    score")]
        assert len(lines) == 2
        for line, memory in zip(lines, result.memories, strict=True):
            assert by_hand(line, prior_strength if query else 1.0) == pytest.approx(memory.score, abs=2e-4)
        assert "time used: 2026-05-19T12:00:00Z" in text


def by_hand(line: str, prior_strength: float) -> float:
    """The score, computed again from the numbers in its explanation."""
    values = {
        name: float(re.search(rf"\b{name} {NUMBER}", line)[1])  # type: ignore[index]
        for name in ("score", "RFM", "trust", "alignment", "relevance", "decay", "F", "M", "consolidation")
    }
    age, half_life = (float(each) for each in re.search(rf"−{NUMBER} d / {NUMBER} d", line).groups())  # type: ignore[union-attr]
    assert values["decay"] == pytest.approx(math.exp(-age / half_life), abs=2e-4)
    assert values["RFM"] == pytest.approx(values["decay"] * values["F"] * values["M"], abs=2e-4)
    product = values["relevance"]
    for name in ("RFM", "trust", "alignment"):
        product *= 1 - prior_strength + prior_strength * values[name]
    assert values["score"] == pytest.approx(product, abs=2e-4)
    return product


async def test_a_memory_is_told_on_one_line_whatever_line_ends_it_holds(agent: Agent) -> None:
    await agent.write("first\nsecond\r\nthird\u2028#99 core fourth\x85fifth", tags=("a\nb",))
    text = await told(agent)
    assert len(text.splitlines()) == 2
    assert text.endswith("[a b] first second third #99 core fourthfifth")


async def test_hundreds_of_equal_recalls_answer_alike(agent: Agent) -> None:
    await remembering(agent, *(f"the cat number {number} sleeps" for number in range(12)))
    answers = {tuple((memory.id, memory.score) for memory in (await agent.recall("cat")).memories) for _ in range(300)}
    assert len(answers) == 1


@given(query=st.text(max_size=60), tags=st.lists(st.text(max_size=8), max_size=3), branch=st.text(max_size=8))
def test_no_question_breaks_a_statement(store: Connection, query: str, tags: list[str], branch: str) -> None:
    question = Question("default", query=query, tags=tuple(tags), branch=branch, goal_id=branch)
    try:
        result = find(store, question, Settings(), now=1.8e9)
    except InvalidTextError:
        return
    assert all(0.0 <= memory.score <= 1.0 for memory in result.memories)


async def test_a_prompt_that_asks_at_its_end_is_answered(agent: Agent) -> None:
    await remembering(agent, "Nora's e-mail address is nora@example.org", *(f"the cat number {n}" for n in range(30)))
    rambling = "The weather changed so much today. I should really buy a new coat. My train was late as well. "
    assert (await agent.found(rambling + "What is the e-mail address of Nora?"))[0] == 1
    assert (await agent.found("What is the e-mail address of Nora? " + rambling))[0] == 1
    assert await agent.found(rambling + "Which violin does the teacher play?") == []


@pytest.mark.parametrize("size", [5, 20, 150])
async def test_memories_that_all_begin_alike_answer_nothing_by_their_beginning(agent: Agent, size: int) -> None:
    await remembering(agent, *(f"The user keeps thing number {number} in the attic" for number in range(size)))
    await remembering(agent, *(f"用户把第 {number} 件东西放在阁楼" for number in range(size)))
    assert await agent.found("What is the user's blood type?") == []
    assert await agent.found("用户的血型是什么？") == []


@pytest.mark.parametrize(("silence", "silent"), [(0.0, False), (0.3, True), (1.0, True)])
async def test_silence_is_the_chance_of_an_answer_below_which_nothing_is_relevant(
    agent: Agent, silence: float, silent: bool
) -> None:
    await remembering(agent, "the cat sleeps", *(f"dogs bark, {number} times" for number in range(30)))
    settings = agent.database.settings.model_copy(update={"silence": silence})
    agent = replace(agent, database=replace(agent.database, settings=settings))
    found = await agent.recall(
        "which cat plays an old violin concerto in Vienna tonight with orchestra, choir and organ"
    )
    assert (found.memories == (), found.nearest) == (silent, silent)
