"""Rows that FirmMem did not write: altered texts, garbled values, dates and histories that can't be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.firmmem_command import Firmmem
from support.stores import START, in_another_process, write_one

from firmmem.contract import Question
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.shelves import is_altered
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


@pytest.fixture
def firmmem(tmp_path: Path) -> Firmmem:
    """A file with three memories, of which the third superseded the second."""
    settings = Settings(db=tmp_path / "memory.db")
    connection = open_connection(settings)
    with transaction(connection):
        write_one(connection, settings, "The cat sleeps on the sofa")
        write_one(connection, settings, "The office is in Lisbon", subject="office.city")
        write_one(connection, settings, "The office is in Porto", subject="office.city")
    connection.close()
    return Firmmem(tmp_path)


def do(path: Path, statement: str) -> None:
    """Change a row as a failing disk would, past every check and trigger."""
    done = in_another_process(
        """
        import sys
        from firmmem.store.sqlite import connect
        file = connect(sys.argv[1], isolation_level=None)
        triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        file.execute("PRAGMA ignore_check_constraints = ON")
        file.execute(sys.argv[2])
        for _, sql in triggers:
            file.execute(sql)
        file.close()
        """,
        path,
        statement,
    )
    assert done.returncode == 0, done.stderr


def test_an_altered_text_is_named_by_recall_and_by_export(firmmem: Firmmem) -> None:
    do(firmmem.db, "UPDATE memory SET summary = 'The cat sleeps on the stove' WHERE id = 1")
    settings = Settings(db=firmmem.db)
    connection = open_connection(settings)
    found = find(connection, Question("default", query="the cat sleeps"), settings, now=START)
    start = find(connection, Question("default"), settings, now=START)
    other = find(connection, Question("default", query="office"), settings, now=START)
    connection.close()
    assert any(note.startswith("#1: altered in the file") for note in found.notes)
    assert any(note.startswith("#1: altered in the file") for note in start.notes)
    assert not any("altered" in note for note in other.notes)
    exported = firmmem("export", firmmem.folder / "out.jsonl")
    assert exported.code == 0
    assert "#1: altered in the file" in exported.err


def test_case_spacing_and_what_a_person_edits_alter_nothing(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user's name is Ann")
    firmmem.does("core", "edit", "4", "The user's name is Anna")
    assert "altered" not in firmmem("export", firmmem.folder / "out.jsonl").err
    connection = open_connection(Settings(db=firmmem.db))
    for row in connection.execute(
        "SELECT shelf.namespace, shelf.branch, summary, identity FROM memory JOIN shelf ON shelf.id = memory.shelf"
    ):
        assert not is_altered(*row)
        assert not is_altered(row[0], row[1], f" {row[2].upper()}. ", row[3])
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory SET tier = 'golden' WHERE id = 2",
        "UPDATE memory SET tags = '[broken' WHERE id = 2",
        "UPDATE memory SET tags = '7' WHERE id = 2",
        "UPDATE memory SET importance = 5 WHERE id = 2",
        "UPDATE memory SET summary = CAST(X'ff41' AS TEXT) WHERE id = 2",
        "UPDATE move SET cause = CAST(X'ff41' AS TEXT) WHERE memory = 2",
    ],
)
def test_export_names_a_bad_row_and_never_what_is_in_it(firmmem: Firmmem, statement: str) -> None:
    do(firmmem.db, statement)
    out = firmmem.folder / "out.jsonl"
    refused = firmmem("export", out)
    assert refused.code == 1
    assert "Memory #2 is damaged" in refused.err
    assert "--skip-damaged" in refused.err
    assert "golden" not in refused.err
    assert not out.exists()
    left = firmmem("export", "--skip-damaged", out)
    assert left.code == 0
    assert "#2: damaged, and left out" in left.err
    kinds = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["id"] for each in kinds if each["type"] == "memory"] == [1, 3]


def changed(firmmem: Firmmem, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """Return an export whose memories were changed, and whose last line fits."""
    import hashlib

    out = firmmem.folder / "changed.jsonl"
    firmmem.does("export", out)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    change([record for record in records if record["type"] == "memory"])
    body = b"".join(
        json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for each in records[:-1]
    )
    end = records[-1] | {"sha256": hashlib.sha256(body).hexdigest()}
    out.write_bytes(body + json.dumps(end, separators=(",", ":")).encode() + b"\n")
    return out


def superseding(*pairs: tuple[int, int]) -> Callable[[list[dict[str, Any]]], None]:
    def change(memories: list[dict[str, Any]]) -> None:
        for older, newer in pairs:
            memories[older - 1].update(superseded_by=newer, state="superseded")

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda memories: memories[0].update(created_at=1e300), "created_at"),
        (lambda memories: memories[0].update(reviewed_at=-1e12), "reviewed_at"),
        (lambda memories: memories[0].update(state_at=253_402_300_800), "no date from 1970 to 9999"),
        (superseding((1, 1)), "supersedes itself"),
        (superseding((3, 2)), "supersedes itself"),
        (superseding((1, 2), (3, 1)), "supersedes itself"),
        (lambda memories: memories[0].update(supersedes=[1]), "supersedes itself"),
    ],
)
def test_import_refuses_dates_and_histories_that_cannot_be(
    firmmem: Firmmem, change: Callable[[list[dict[str, Any]]], None], said: str
) -> None:
    file = changed(firmmem, change)
    refused = firmmem("import", file, "--db", firmmem.folder / "empty.db")
    assert refused.code == 1
    assert said in refused.err
    assert "othing was imported" in refused.err
