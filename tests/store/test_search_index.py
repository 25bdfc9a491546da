"""The search index damaged while the memories are not: said, gone round, and built anew without a restart."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support.stores import START, in_another_process, write_one

from firmmem.contract import Question
from firmmem.errors import DamagedIndexError, InvalidTextError, RefusedTextError
from firmmem.memory.recall.recall import DAMAGED, recall
from firmmem.memory.recall.without_index import stem
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.opening import open_connection
from firmmem.store.search_index import is_index_error, is_searchable, rebuild_index
from firmmem.store.sqlite import Error, complete_statement
from firmmem.store.statements import Connection, transaction

LISBON = "The offices number {} are in Lisbon"
CHINESE = "用户喜欢雾凇拼音输入法"
DAMAGES = {
    "blocks": "UPDATE memory_words_data SET block = x'deadbeef' WHERE id > 10",
    "no block": "DELETE FROM memory_words_data WHERE id > 10",
    "all of it": "DELETE FROM memory_words_data",
    "blank": "UPDATE memory_words_data SET block = x'ff00'",
    "version": "DELETE FROM memory_words_config",
    "table gone": "DROP TABLE memory_words_data",
}


@pytest.fixture(params=DAMAGES)
def damaged(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """A file with fifty memories and no usable search index."""
    connection = open_connection(settings)
    with transaction(connection):
        for number in range(50):
            write_one(connection, settings, LISBON.format(number))
        write_one(connection, settings, CHINESE)
    connection.close()
    done = in_another_process(
        """
        import sys
        from firmmem.store.sqlite import connect
        file = connect(sys.argv[1])
        file.execute(sys.argv[2])
        file.commit()
        file.close()
        """,
        settings.db,
        DAMAGES[request.param],
    )
    assert done.returncode == 0, done.stderr
    return settings


async def found(database: Database, query: str) -> tuple[list[str], tuple[str, ...]]:
    told = await recall(database, Question("default", query=query), now=START)
    return [memory.summary for memory in told.memories], told.notes


async def test_it_is_said_gone_round_and_mended_by_the_next_write(damaged: Settings) -> None:
    async with open_database(damaged) as database:
        summaries, notes = await found(database, "which office is number 17?")
        assert summaries[0] == LISBON.format(17)
        assert DAMAGED in notes
        assert (await found(database, "雾凇拼音"))[0] == [CHINESE]
        assert (await found(database, "pizza"))[0] == []
        assert (await database.write(write_one, damaged, "Written all the same")).status == "stored"
        summaries, notes = await found(database, "which office is number 17?")
        assert summaries[0] == LISBON.format(17)
        assert notes == ()
        assert (await found(database, "written"))[0] == ["Written all the same"]
        assert await database.read(is_searchable)


async def test_in_a_large_store_a_write_leaves_it_to_a_person(
    damaged: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmmem.store.database.REBUILT", 10)
    async with open_database(damaged) as database:
        with suppress(DamagedIndexError):  # which no other error than this may be
            await database.write(write_one, damaged, "The office number 99 is in Porto")
        monkeypatch.setattr("firmmem.store.database.REBUILT", 20_000)
        await database.write(lambda connection: rebuild_index(connection, complete_statement))
        assert DAMAGED not in (await found(database, "which office is number 17?"))[1]


def test_errors_of_the_index_are_told_from_others(connection: Connection) -> None:
    with pytest.raises(Error) as told:
        connection.execute("SELECT * FROM nowhere")
    assert not is_index_error(told.value)


def test_an_empty_store_is_searchable(connection: Connection) -> None:
    assert is_searchable(connection)


@pytest.mark.parametrize(
    ("word", "other"), [("office", "offices"), ("walking", "walked"), ("cities", "city"), ("雾凇", "雾凇")]
)
def test_the_forms_of_a_word_have_one_stem(word: str, other: str) -> None:
    assert stem(word) == stem(other)


@given(st.text(max_size=60))
@hypothesis_settings(max_examples=300, deadline=None)
def test_whatever_is_written_a_sound_index_is_never_taken_for_a_damaged_one(summary: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(db=Path(folder) / "firmmem.db")
        connection = open_connection(settings)
        for text in (summary, f"{summary} {summary}", "a " + summary):
            with suppress(InvalidTextError, RefusedTextError), transaction(connection):
                write_one(connection, settings, text)
            assert is_searchable(connection)
        connection.close()
