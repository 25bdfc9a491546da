"""A simulated year, small enough to run with every change: four clients on one file, and upkeep once a day."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from support.checkout import SCRIPTS
from support.keeper import _no_pauses  # noqa: F401 - a fixture

DAYS = 365


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


async def test_a_store_left_alone_for_a_year_is_better_than_the_day_it_was_filled(tmp_path: Path) -> None:
    from simulate import faults, told
    from simulation.life import live
    from simulation.plot import drawn
    from simulation.scenario import year

    result = await live(year(1, days=DAYS, chatter=3), tmp_path, sessions=1)
    assert list(faults(result)) == [], "\n".join(told(result))
    assert result.counts["write"] > 1_000
    records = [week.records["statistic"] for week in result.weeks]
    assert records[-1] < 1.1 * records[len(records) // 2], "what upkeep notes of itself goes on growing"
    assert result.restored > 20
    assert sum(state != "active" for state in result.wrong.values()) >= len(result.wrong) - 1
    picture = ElementTree.fromstring(drawn(result.weeks))  # noqa: S314 - our own
    assert len([each for each in picture.iter() if each.tag.endswith("polyline")]) == 7
    assert not re.search(r"\bnan\b|\binf\b", drawn(result.weeks))


def test_a_seed_is_a_scenario() -> None:
    from simulation.scenario import year

    assert year(3, days=40, chatter=2) == year(3, days=40, chatter=2) != year(4, days=40, chatter=2)
