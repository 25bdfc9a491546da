import pytest
from support.agent import Agent, ids_of
from support.stores import Clock, planted

from firmmem.memory.write.near_duplicates import PROBED, READ, TOLD, find_neighbours, probe_words
from firmmem.store.database import Database
from firmmem.store.statements import Connection
from firmmem.text.search_words import index_columns


@pytest.fixture
def agent(database: Database, clock: Clock) -> Agent:
    return Agent(database, clock)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The deploy runs on Fridays at noon", "The deploy runs on Fridays, at noon sharp"),
        ("用户的办公室在柏林市中心", "用户的办公室在柏林的市中心"),
        ("Prefers window seats on long trains", "prefers long trains' window seats"),
        ("The user prefers dark roast coffee.", "Dark roast is the coffee the user prefers."),
        ("We deploy every Friday at noon.", "The team deploys at noon on Fridays."),
        ("用户喜欢深烘咖啡。", "用户喝咖啡喜欢深烘的。"),
    ],
)
async def test_a_text_that_says_nearly_the_same_is_told_by_id(agent: Agent, first: str, second: str) -> None:
    await agent.write(first, "validated")
    written = await agent.write(second)
    assert (written.status, ids_of(written.similar), written.conflicting) == ("stored", [1], ())
    assert written.similar[0].summary == first


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The API limit is 100 requests per minute", "The API limit is 200 requests per minute"),
        ("The office is in Berlin on floor 3", "The office is in Berlin, floor 5"),
        ("User likes coffee in the morning", "User does not like coffee in the morning"),
        ("Can't eat peanuts", "Can eat peanuts"),
        ("The build doesn't need Docker", "the build needs docker"),
        ("用户喜欢喝咖啡", "用户不喜欢喝咖啡"),
        ("服务器端口是8080", "服务器端口是9090"),
        ("The meeting is on 2026-01-03", "The meeting is on 2026-01-09"),
    ],
)
async def test_a_text_that_looks_contradicted_is_told_by_id_whichever_comes_first(
    agent: Agent, first: str, second: str
) -> None:
    for namespace, (one, other) in {"a": (first, second), "b": (second, first)}.items():
        old = await agent.write(one, namespace=namespace)
        written = await agent.write(other, namespace=namespace)
        assert (ids_of(written.conflicting), written.similar) == ([old.id], ())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Likes tea", "Likes long walks on the beach"),
        ("The port is 80 for http", "The year was 1999 in Rome"),
        ("Never late", "Speaks Portuguese"),
        ("用户喜欢喝咖啡", "服务器端口是8080"),
    ],
)
async def test_texts_about_different_things_are_not_told(agent: Agent, first: str, second: str) -> None:
    await agent.write(first)
    written = await agent.write(second)
    assert (written.similar, written.conflicting) == ((), ())


async def test_what_is_superseded_by_the_same_write_is_not_told_again(agent: Agent) -> None:
    await agent.write("The API limit is 100 requests per minute")
    named = await agent.write("The API limit is 200 requests per minute", supersedes=(1,))
    assert (ids_of(named.superseded), named.conflicting, named.similar) == ([1], (), ())
    await agent.write("The release is on day 3 of the month", subject="release")
    moved = await agent.write("The release is on day 4 of the month", subject="release")
    assert (ids_of(moved.superseded), moved.conflicting, moved.similar) == ([3], (), ())


async def test_only_the_main_memory_of_the_namespace_is_compared(agent: Agent) -> None:
    text = "The deploy runs on Fridays at noon"
    await agent.write(text, namespace="other")
    await agent.write(text, branch="idea")
    await agent.write(text)
    await agent.archive(3)
    written = await agent.write(f"{text} sharp")
    assert written.similar == ()
    draft = await agent.write(f"{text} sharp", branch="idea")
    assert ids_of(draft.similar) == [written.id]


async def test_of_many_alike_only_the_nearest_are_told(agent: Agent) -> None:
    for number in range(10):
        await agent.write(f"the deploy of the shop runs on fridays at noon {'x' * (number + 1)}")
    written = await agent.write("the deploy of the shop runs on fridays at noon")
    assert len(written.similar) == TOLD


def test_the_comparison_stays_bounded_in_a_store_full_of_one_phrase(connection: Connection) -> None:
    for number in range(3 * READ):
        planted(connection, summary=f"the deploy runs at noon {number}")
    assert len(find_neighbours(connection, "the deploy runs at noon sharp", (0, 2**62), ())) == READ


@pytest.mark.parametrize(
    ("old", "new", "crowd"),
    [
        (
            "The lease of the harbour flat costs 950 a month",
            "The lease of the harbour flat costs 990 a month",
            "harbour",
        ),
        ("用户在柏林的公寓每月租金是950欧元", "用户在柏林的公寓每月租金是990欧元", "柏林"),
    ],
)
async def test_what_is_contradicted_is_found_behind_many_newer_ones_with_one_of_its_words(
    agent: Agent, connection: Connection, old: str, new: str, crowd: str
) -> None:
    first = await agent.write(old)
    for number in range(2 * READ):
        planted(connection, summary=f"{crowd} {number:x}")
    written = await agent.write(new)
    assert ids_of(written.conflicting) == [first.id]


def test_the_words_that_are_looked_for_are_the_longest_and_come_from_all_over_the_text() -> None:
    english = "a hippopotamus in the cellar of an observatory eats cucumbers and green bananas with the neighbours"
    assert set(probe_words(english)) >= {"hippopotamus", "observatory", "neighbours", "cucumbers"}
    chinese = index_columns("用户上周在柏林市中心的公寓里丢了一把红色的雨伞和一本旧书").words
    places = [chinese.split().index(word) / len(chinese.split()) for word in probe_words(chinese)]
    assert len(places) == PROBED
    assert min(places) < 0.6 < 0.9 < max(places)
    assert probe_words("tea") == ["tea"]
