"""How a memory faded and will fade, in numbers, words and a picture."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from support.stores import START, YOUNG, planted

from firmmem import scoring
from firmmem.errors import InvalidArgumentError
from firmmem.memory.life.lifeline import Lifeline, read_lifeline
from firmmem.memory.life.review import LOGGED, fold_reviews
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.render.curve import draw_curve, life_in_words
from firmmem.settings import Settings
from firmmem.store.statements import Connection, transaction

SVG = "{http://www.w3.org/2000/svg}"


def lived(connection: Connection, settings: Settings, *days: float, now: float, tier: str = "draft") -> Lifeline:
    """A memory written at the start and reviewed after so many days each."""
    with transaction(connection):
        memory = planted(connection, replace(YOUNG, tier=tier), 'Uses <tabs> & "spaces"')  # type: ignore[arg-type]
        for day in days:
            fold_reviews(connection, [(memory, START + day * DAY)], settings)
    return read_lifeline(connection, memory, settings, namespace="default", now=START + now * DAY)


def test_the_curve_is_the_formula_at_every_time(connection: Connection, settings: Settings) -> None:
    line = lived(connection, settings, 5, 12, now=20)
    once = scoring.consolidate(0.0, scoring.decay(5, 7))
    second = scoring.effective_half_life(7, once, 1, 0.5)
    assert line.left(START) == 1
    assert line.left(START + 3 * DAY) == pytest.approx(scoring.decay(3, 7))
    assert line.left(START + 4.999999 * DAY) == pytest.approx(scoring.decay(5, 7), rel=1e-5)
    assert line.left(START + 5 * DAY) == 1
    assert line.left(START + 10 * DAY) == pytest.approx(scoring.decay(5, second))
    assert line.left(line.now) == pytest.approx(line.decay)
    assert line.left(START + 50 * DAY) == pytest.approx(scoring.decay(38, line.half_life))


def test_the_forecast_says_when_how_much_is_left(connection: Connection, settings: Settings) -> None:
    line = lived(connection, settings, 5, now=6)
    for share in (0.9, 0.5, 0.05):
        assert line.left(line.reaches(share)) == pytest.approx(share)
    said = life_in_words(line).splitlines()
    assert said[1] == "written   2026-05-16T00:00:00Z"
    assert said[2] == "reviewed  2026-05-21T00:00:00Z  49.0% was left; consolidation 0.153 after"
    assert said[3].startswith("now       2026-05-22T00:00:00Z  87.6% is left, effective half-life 7.54 days")
    assert said[4] == "     90%  was left on 2026-05-21T19:03:21Z: a recall from then on is a review"
    assert said[-1].endswith(": forgotten, unless it is used")


def test_only_drafts_are_forecast_to_be_forgotten(connection: Connection, settings: Settings) -> None:
    assert life_in_words(lived(connection, settings, now=1, tier="validated")).endswith("only drafts are forgotten")


def test_a_core_fact_has_no_curve(connection: Connection, settings: Settings) -> None:
    line = lived(connection, settings, now=100, tier="core")
    assert life_in_words(line).endswith("A core fact never fades and is never reviewed.")


@pytest.mark.parametrize("days", [(), (5,), (5, 12, 30, 80)])
@pytest.mark.parametrize("now", [-3.0, 0.0, 100.0])
def test_the_picture_is_well_formed_and_lies_within_its_frame(
    connection: Connection, settings: Settings, days: tuple[float, ...], now: float
) -> None:
    line = lived(connection, settings, *days, now=now)
    root = ET.fromstring(draw_curve(line))  # noqa: S314 - our own
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts[0] == f'#{line.id} draft: Uses <tabs> & "spaces"'
    points = [
        tuple(map(float, pair.split(",")))
        for polyline in root.iter(f"{SVG}polyline")
        for pair in polyline.attrib["points"].split()
    ]
    assert points
    assert all(59.9 <= x <= 780.1 and 49.9 <= y <= 310.1 for x, y in points)
    assert len(list(root.iter(f"{SVG}circle"))) == len(days) + 1


def test_a_log_that_lost_its_oldest_reviews_draws_what_it_has(connection: Connection, settings: Settings) -> None:
    days = [number * 500 * (1 + number / 100) for number in range(1, LOGGED + 10)]
    line = lived(connection, settings, *days, now=days[-1] + 1)
    assert line.known_from == line.reviews[0].at > START
    assert "9 earlier reviews are no longer in the log" in life_in_words(line)
    ET.fromstring(draw_curve(line))  # noqa: S314 - our own


def test_a_memory_reviewed_before_there_was_a_log_begins_with_its_last_review(
    connection: Connection, settings: Settings
) -> None:
    planted(connection, replace(YOUNG, recall_count=3, consolidation=0.2), created_at=START - 90 * DAY)
    line = read_lifeline(connection, 1, settings, namespace="default", now=START + DAY)
    assert line.known_from == START
    assert "3 earlier reviews" in life_in_words(line)
    ET.fromstring(draw_curve(line))  # noqa: S314 - our own


def test_a_memory_of_another_namespace_does_not_exist(connection: Connection, settings: Settings) -> None:
    planted(connection, YOUNG, namespace="A")
    with pytest.raises(InvalidArgumentError, match="no memory #1"):
        read_lifeline(connection, 1, settings, namespace="default", now=START)
