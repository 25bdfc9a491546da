"""`firmmem forecast`, `upkeep`, `runs`, `undo`, `history`, `goal`: what becomes of memories, told to a person."""

import re
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem
from support.stores import in_another_process

PLANT = """
import sys, time
from dataclasses import replace
from pathlib import Path
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from support.stores import YOUNG, planted, write_one

settings = Settings(db=Path(sys.argv[1]))
connection = open_connection(settings)
now = time.time()
with transaction(connection):
    planted(connection, replace(YOUNG, reviewed_at=now - 15 * DAY), "Had noodles for lunch")
    planted(connection, replace(YOUNG, reviewed_at=now - 90 * DAY), "Had rice for lunch")
    write_one(connection, settings, "The office is in Berlin", now=now - 3 * DAY, tier="validated", subject="office")
    write_one(connection, settings, "The office is in Lisbon", now=now - DAY, tier="validated", subject="office")
    write_one(connection, settings, "Ship in spring", now=now - DAY, tier="strategic", goal_id="launch")
    connection.execute("INSERT INTO job (name, last_run) VALUES ('forget', ?)", (now - 2 * DAY,))
connection.close()
"""


def plant(db: Path) -> None:
    ran = in_another_process(PLANT, db)
    assert ran.returncode == 0, ran.stderr


def test_the_forecast_names_each_draft_and_its_day(firmmem: Firmmem) -> None:
    plant(firmmem.db)
    soon, later = firmmem.does("forecast", "--days", "10").splitlines()
    assert soon == "due now    #2 trust=0.50 Had rice for lunch"
    assert re.fullmatch(r"20\d\d-\d\d-\d\d #1 trust=0\.50 Had noodles for lunch", later)
    assert "within 3 days" in firmmem.does("forecast", "--days", "3", "--namespace", "another")


@pytest.mark.parametrize("half_life", ["1", "7", "30"])
def test_the_forecast_and_the_curve_say_the_same_day_under_any_half_life(firmmem: Firmmem, half_life: str) -> None:
    plant(firmmem.db)
    shorter = {"DRAFT_BASE_HALF_LIFE": half_life}
    curve = firmmem.does("curve", "1", **shorter)
    [day] = re.findall(r"5%  (?:is|was) left on (20\d\d-\d\d-\d\d)", curve)
    [line] = [line for line in firmmem.does("forecast", "--days", "365", **shorter).splitlines() if "#1 " in line]
    assert line.startswith("due now" if "5%  was left on" in curve else day)


def test_upkeep_is_tried_done_listed_and_undone(firmmem: Firmmem) -> None:
    plant(firmmem.db)
    tried = firmmem.does("upkeep", "--now", "--dry-run").splitlines()
    assert tried[:2] == ["tiers: would promote 0 and demote 0", "forget: would forget 1"]
    assert firmmem.does("runs") == "No run has changed anything.\n"
    done = firmmem("upkeep", "--now")
    assert done.code == 0
    assert done.err == ""
    assert {"forget: 1 forgotten", "optimize: done", "integrity: ok"} <= set(done.out.splitlines())
    assert "forget: not due" in firmmem.does("upkeep", "--dry-run")
    [run] = firmmem.does("runs").splitlines()
    number = run.split()[0]
    assert run.endswith("forget: 1 forgotten")
    assert f"active → archived (forgotten, run {number})" in firmmem.does("history", "2")
    assert firmmem.does("undo", number) == f"run {number} (forget): 1 taken back\n"
    assert "(undone 20" in firmmem.does("runs")
    assert "forget: 0 forgotten" in firmmem.does("upkeep", "--now")
    assert firmmem("undo", "999").code == 1
    assert firmmem("undo", "all").code == 2


def test_history_shows_every_version_with_its_dates(firmmem: Firmmem) -> None:
    plant(firmmem.db)
    first, second, *moves = firmmem.does("history", "#4").splitlines()
    assert re.fullmatch(r"#3 validated 20\S+ superseded 20\S+ by #4: The office is in Berlin", first)
    assert re.fullmatch(r"#4 validated 20\S+: The office is in Lisbon", second)
    assert moves == []
    assert "active → superseded (superseded)" in firmmem.does("history", "3")
    assert firmmem("history", "99").code == 1


def test_goals_are_opened_closed_listed_and_reopened(firmmem: Firmmem) -> None:
    plant(firmmem.db)
    assert firmmem.does("goal", "open", "garden") == "goal 'garden' open\n"
    assert re.match(r"garden: open since 20\S+, 0 in use, 0 archived\nlaunch: open since", firmmem.does("goal", "list"))
    assert firmmem.does("goal", "close", "launch", "--reason", "done") == "goal 'launch' closed: 1 memory archived\n"
    assert re.search(r"launch: closed 20\S+, 0 in use, 1 archived", firmmem.does("goal", "list"))
    assert firmmem.does("goal", "reopen", "launch") == "goal 'launch' open again: 1 memory restored\n"
    assert firmmem("goal", "close", "lunch").code == 1


def test_looking_makes_no_file(firmmem: Firmmem) -> None:
    for command in (["forecast"], ["runs"], ["goal", "list"], ["upkeep", "--now"]):
        firmmem.does(*command)
    assert not firmmem.db.exists()
