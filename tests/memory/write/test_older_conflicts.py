"""Conflicts that an older version noted: those that are none by now go with the upgrade."""

import pytest
from support.stores import planted

from firmmem.settings import Settings
from firmmem.store import migrate
from firmmem.store.opening import open_connection
from firmmem.store.statements import run, transaction


def test_an_upgrade_keeps_conflicts_that_are_some(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    known = migrate.scripts()
    [number] = [number for number, script in enumerate(known) if "DELETE FROM conflict" in script]
    with monkeypatch.context() as older:
        older.setattr(migrate, "scripts", lambda: known[:number])
        older.setattr("firmmem.store.opening.scripts", lambda: known[:number])
        connection = open_connection(settings)
        with transaction(connection):
            for text in (
                "Build 14 took 9 minutes",
                "Build 15 took 11 minutes",
                "CI runs on Travis",
                "CI runs on Drone",
            ):
                planted(connection, summary=text)
            run(connection, "conflict_insert", memory=1, others="[2]")
            run(connection, "conflict_insert", memory=3, others="[4]")
        connection.close()
    connection = open_connection(settings)
    pairs = [tuple(row) for row in connection.execute("SELECT memory, other FROM conflict ORDER BY memory")]
    assert pairs == [(3, 4), (4, 3)]
    connection.close()
