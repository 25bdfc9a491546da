"""`firmmem anomalies`, `firmmem release` and `firmmem conflicts`."""

from dataclasses import replace

import pytest
from support.firmmem_command import Firmmem
from support.stores import YOUNG, planted, write_one

from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


@pytest.fixture
def stored(firmmem: Firmmem) -> Firmmem:
    """A file with thirty memories as they should be, one that nobody trusts, and two that disagree."""
    settings = Settings(db=firmmem.db)
    connection = open_connection(settings)
    with transaction(connection):
        for number in range(30):
            planted(connection, summary=chr(0x4E00 + 7 * number) + chr(0x5E00 + 5 * number))
        planted(connection, replace(YOUNG, trust=0.05), "The build is broken")
        write_one(connection, settings, "The connection limit is 100 per host")
        write_one(connection, settings, "The connection limit is 200 per host")
    connection.close()
    return firmmem


def test_looking_makes_no_file(firmmem: Firmmem) -> None:
    assert "Nothing is remembered here yet" in firmmem.does("anomalies", "--now")
    assert "No conflicts" in firmmem.does("conflicts")
    assert not firmmem.db.exists()


def test_looking_sets_nothing_aside_and_says_what_would_be(stored: Firmmem) -> None:
    said = stored.does("anomalies")
    assert "Nothing is set aside in namespace 'default'." in said
    assert "to be set aside by the next check: #31 (0.05)" in said
    assert "draft, 33: trust mean 0.4864 ± 0.0771, median 0.5000 ± 0.0500" in said
    assert "The build is broken" in stored.does("recall", "build broken")


def test_a_check_sets_aside_and_tells_every_figure_and_release_brings_back(stored: Firmmem) -> None:
    said = stored.does("anomalies", "--now")
    assert said.startswith("Checked: 1 of 33 set aside, 0 alerts.\n")
    assert "The build is broken" in said
    assert (
        "trust 0.05 is 5.7 spreads below the mean 0.49 (trust: value 0.0500, centre 0.4864, spread 0.0771, n 33)"
        in said
    )
    assert ", run 1, 2" in said
    assert "The build is broken" not in stored.does("recall", "build broken")
    assert stored.does("release", "31", "--reason", "it is").startswith("released #31 ")
    assert "The build is broken" in stored.does("recall", "build broken")
    assert "Checked: 0 of 33 set aside" in stored.does("anomalies", "--now")
    again = stored("release", "31")
    assert (again.code, "not in quarantine" in again.err) == (1, True)


def test_a_check_is_taken_back_whole_and_does_not_set_aside_again(stored: Firmmem) -> None:
    stored.does("anomalies", "--now")
    assert "1 taken back" in stored.does("undo", "1")
    assert "Checked: 0 of 33 set aside" in stored.does("anomalies", "--now")


def test_the_daily_upkeep_checks_too(stored: Firmmem) -> None:
    assert "anomalies: 1 of 33 set aside, 0 alerts" in stored.does("upkeep", "--now")
    assert "The build is broken" in stored.does("anomalies")


def test_an_alert_is_shown_until_it_is_over(firmmem: Firmmem) -> None:
    connection = open_connection(Settings(db=firmmem.db))
    with transaction(connection):
        for trust in [0.5] * 30 + [0.05] * 12:
            planted(connection, replace(YOUNG, trust=trust))
    connection.close()
    said = firmmem.does("anomalies", "--now")
    assert said.startswith("Checked: 0 of 42 set aside, 1 alert.\n")
    assert "Alert, draft: 12 of 42 would be set aside, which is too many to be outliers: none was: #31 (0.05)" in said
    assert "and 2 more" in said
    assert "Alert, draft" in firmmem.does("anomalies")


def test_conflicts_are_told_in_pairs(stored: Firmmem) -> None:
    said = stored.does("conflicts").splitlines()
    assert said[0] == "they seem to contradict each other:"
    assert "limit is 100" in said[1]
    assert "limit is 200" in said[2]
    assert said[-1] == "1 to settle: have an agent archive or supersede one of each."
    assert "No conflicts in 'other'." in stored.does("conflicts", "--namespace", "other")


def test_of_very_many_conflicts_some_are_told(firmmem: Firmmem) -> None:
    connection = open_connection(Settings(db=firmmem.db))
    with transaction(connection):
        for number in range(12):
            planted(connection, summary=f"The connection limit is {number} per host")
    connection.close()
    said = firmmem.does("conflicts").splitlines()
    assert said[-2:] == ["and 16 more", "66 to settle: have an agent archive or supersede one of each."]
