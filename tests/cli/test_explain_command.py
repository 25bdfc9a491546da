"""`firmmem explain` and `firmmem curve`."""

from xml.etree import ElementTree as ET

import pytest
from support.firmmem_command import Firmmem
from support.stores import START, planted, write_one

from firmmem.memory.life.review import fold_reviews
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


@pytest.fixture
def stored(firmmem: Firmmem) -> Firmmem:
    settings = Settings(db=firmmem.db)
    connection = open_connection(settings)
    with transaction(connection):
        write_one(connection, settings, "The office is in Lisbon")
        planted(connection, summary="Lunch is at noon")
        fold_reviews(connection, [(1, START + 8 * DAY)], settings)
    connection.close()
    return firmmem


def test_a_score_is_explained_at_any_time(stored: Firmmem) -> None:
    said = stored.does("explain", "#1", "--at", "2026-05-25")
    assert "time used: 2026-05-25T00:00:00Z" in said
    assert "recency = 1.000000 days since the last review, 2026-05-24T00:00:00Z" in said
    assert "That is place 1 of draft." in said
    assert said == stored.does("explain", "1", "--at", "2026-05-25T00:00:00Z")
    assert said != stored.does("explain", "1")


def test_a_score_is_explained_for_a_query_and_a_goal(stored: Firmmem) -> None:
    said = stored.does("explain", "1", "--query", "where is the office", "--goal", "move")
    assert "SemanticSim = 1.000000 of the best match with 'where is the office'" in said
    assert "StrategyAlign = 0.6: 'move' is asked about, the memory serves no goal" in said
    assert "That is place 1 of the answer." in said


def test_what_can_be_no_time_or_no_memory_is_told(stored: Firmmem) -> None:
    assert "Send at as a date" in stored("explain", "1", "--at", "some day").err
    assert "no memory #9" in stored("explain", "9").err
    assert "no memory #9" in stored("curve", "9").err


def test_explaining_leaves_no_trace(stored: Firmmem) -> None:
    before = stored.does("curve", "1", "--at", "2026-06-30")
    for _ in range(3):
        stored.does("explain", "1", "--query", "office")
    assert stored.does("curve", "1", "--at", "2026-06-30") == before


def test_a_curve_is_told_and_drawn(stored: Firmmem) -> None:
    said = stored.does("curve", "1", "--svg", stored.folder / "curve.svg", "--at", "2026-05-26")
    assert "reviewed  2026-05-24T00:00:00Z  31.9% was left; consolidation 0.204 after" in said
    assert said.splitlines()[-1] == f"drawn into {stored.folder / 'curve.svg'}"
    assert ET.parse(stored.folder / "curve.svg").getroot().tag.endswith("svg")  # noqa: S314 - our own


def test_a_curve_that_cant_be_drawn_is_told(stored: Firmmem) -> None:
    stored.does("core", "add", "Is called Ada")
    assert "never fades" in stored("curve", "3", "--svg", stored.folder / "x.svg").err
    ran = stored("curve", "1", "--svg", stored.folder / "none" / "x.svg")
    assert (ran.code, "can't be written" in ran.err) == (1, True)
