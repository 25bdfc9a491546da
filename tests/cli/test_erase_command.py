"""`firmmem erase`: what it asks, says and leaves."""

import json
from contextlib import closing

from support.firmmem_command import Firmmem

from firmmem.store.sqlite import connect

PIN = "The PIN of the cabin is quokkamole 4711"


def test_a_memory_is_erased_in_the_file_in_its_backups_and_in_an_export(firmmem: Firmmem) -> None:
    firmmem.does("add", PIN, "--tag", "cabin")
    firmmem.does("add", "The cabin has a red door")
    firmmem.does("backup")
    firmmem.does("export", "all.jsonl")
    asked = firmmem("erase", "1")
    assert (asked.code, asked.err) == (
        2,
        "firmmem: there is nobody to ask whether to erase 1 memory for good: add --yes.\n",
    )
    said = firmmem.does("erase", "1", "--also", "all.jsonl", "--yes").splitlines()
    assert said[0] == "1 memory erased: #1."
    assert len(said) == 3
    assert all(line.startswith("Erased in ") for line in said[1:])
    for file in firmmem.folder.iterdir():
        if file.is_file():
            assert b"quokkamole" not in file.read_bytes(), file
    assert [line.split(" ", 1)[0] for line in firmmem.does("list").splitlines()] == ["#2"]
    assert "(erased)" in firmmem.does("show", "1")
    assert firmmem("undo", "3").err.startswith("firmmem: Run 3 erased memories for good")
    assert firmmem.does("import", "all.jsonl").startswith("0 memories imported")
    assert firmmem.does("erase", "--finish") == "Every erasure is finished.\n"


def test_the_backups_may_be_left_and_are_then_named(firmmem: Firmmem) -> None:
    firmmem.does("add", PIN)
    firmmem.does("backup")
    told = json.loads(firmmem.does("erase", "1", "--keep-backups", "--yes", "--json"))
    assert (told["erased"], told["copies"]) == ([1], [])
    [backup] = firmmem.folder.glob("*.backup")
    assert told["still_in"] == [str(backup)]
    assert firmmem("import", str(backup)).code == 1


def test_an_older_export_is_taken_in_without_what_was_erased(firmmem: Firmmem) -> None:
    firmmem.does("add", PIN)
    firmmem.does("export", "all.jsonl")
    firmmem.does("erase", "1", "--yes")
    assert "1 memory left out, since a person erased it here.\n" in firmmem.does("import", "all.jsonl")
    assert firmmem.does("list", "quokkamole").startswith("No memory")


def test_what_can_not_be_erased_is_said_before_anything_is(firmmem: Firmmem) -> None:
    firmmem.does("add", PIN)
    for arguments, sentence in (
        (("erase",), "nothing to erase: give the ids of memories"),
        (("erase", "7", "--yes"), "There is no memory #7"),
        (("erase", "1", "--yes", "--also", "missing.jsonl"), f"{firmmem.folder / 'missing.jsonl'} can't be read"),
    ):
        ran = firmmem(*arguments)
        assert ran.code in (1, 2)
        assert ran.err.startswith(f"firmmem: {sentence}")
    assert firmmem.does("list", "quokkamole").startswith("#1 ")


def test_the_doctor_says_where_an_erasure_was_not_finished(firmmem: Firmmem) -> None:
    firmmem.does("add", PIN)
    firmmem.does("erase", "1", "--yes")
    assert "erase: " not in firmmem.does("doctor")
    with closing(connect(firmmem.db)) as connection:
        connection.execute("UPDATE erasure SET finished_at = NULL")
        connection.commit()
    assert "erase: 1 erased, and remains may still be in the file" in firmmem.does("doctor")
    assert firmmem.does("erase", "--finish") == "1 memory erased to the last byte.\n"
    assert "erase: " not in firmmem.does("doctor")
