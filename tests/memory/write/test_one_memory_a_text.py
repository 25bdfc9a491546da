"""The same text is one memory, and a write is whole or absent."""

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agent import Agent, ids, remembering, serving
from support.stores import Clock

from firmmem.errors import InvalidTextError
from firmmem.settings import Settings
from firmmem.store.statements import Connection, transaction
from firmmem.text.normal_form import clean_text, normal_form


async def test_a_write_that_fails_leaves_no_lock_behind(
    settings: Settings, clock: Clock, connection: Connection
) -> None:
    connection.execute("PRAGMA busy_timeout = 1000")
    async with serving(settings, clock) as caller:
        for text in ("a\0b", "\ud83d", "x" * 500_000, "User: hi\nAssistant: hello, how are you?"):
            said, is_error = await caller.answer("write_event_memory", summary=text)
            assert is_error or said.startswith("refused: ")
            with transaction(connection):
                connection.execute("DELETE FROM exposure")


async def test_seven_writes_sent_without_waiting_are_seven_rows(settings: Settings, clock: Clock) -> None:
    said: list[str] = []
    async with serving(settings, clock) as caller:

        async def write(number: int) -> None:
            said.append(await caller.write(f"statement {number}"))

        async with anyio.create_task_group() as tasks:
            for number in range(7):
                tasks.start_soon(write, number)
        assert len(await caller.memories()) == len(set(said)) == 7


async def test_the_same_text_written_668_times_in_any_dress_is_one_row(settings: Settings, clock: Clock) -> None:
    dresses = ["Uses tabs.", "uses tabs", "Uses  tabs ", "USES TABS。", "\nuses\ttabs."]
    async with serving(settings, clock) as caller:
        said = {(await caller.write(dresses[number % 5])).split("#")[1] for number in range(668)}
        assert said == {"1 draft"}
        assert ids(await caller.memories()) == [1]


@given(st.text(alphabet="aB ß.。\t\nＡé猫", min_size=1, max_size=12))
def test_what_is_the_same_to_a_reader_has_one_normal_form(text: str) -> None:
    if not text.strip():
        return
    for dress in (f" {text} ", text.upper().lower() if text.isascii() else text, text.replace(" ", "  ")):
        assert normal_form(clean_text(dress)) == normal_form(clean_text(text))


async def test_what_steers_the_eye_is_removed_and_what_writing_needs_comes_back(
    settings: Settings, clock: Clock
) -> None:
    kept = ["نمی‌دانم کجاست", "family 👨‍👩‍👧 and flag 🏳️‍🌈", "क्‍ष is a letter", "Zoë’s naïve café", "𝒇ancy ﬁ"]
    removed = {"ab\u202ecd\u202c": "abcd", "x\u2066y\u2069": "xy", "tag\U000e0041\U000e0042s": "tags"}
    async with remembering(settings, clock, *kept, *removed) as caller:
        lines = await caller.memories(limit=20)
        for text in (*kept, *removed.values()):
            assert any(line.endswith(f" {text}") for line in lines), text


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200d", "\u200c", "\u034f", "\u180e", "\ufe0f", "\u2060"])
async def test_what_shows_nothing_makes_no_other_memory(agent: Agent, unseen: str) -> None:
    first = await agent.write("Uses tabs everywhere")
    assert (await agent.write(f"Uses ta{unseen}bs everywhere{unseen}")).id == first.id
    with pytest.raises(InvalidTextError):
        await agent.write(unseen * 3)


async def test_a_replayed_write_leaves_alone_what_came_to_stand_beside_it(agent: Agent) -> None:
    first = await agent.write("The time zone is CET", "validated", subject="tz")
    second = await agent.write("The time zone is PST", subject="tz")
    again = await agent.write("The time zone is CET", "validated", subject="tz")
    assert (again.id, again.superseded) == (first.id, ())
    assert (await agent.row(second.id))["state"] == "active"
