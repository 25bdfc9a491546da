"""`firmmem import`, of an export and of what another memory kept, as a person runs it."""

from pathlib import Path

from support.firmmem_command import Firmmem

FIXTURES = Path(__file__).parents[1] / "importers" / "fixtures"


def test_a_preview_changes_nothing_and_the_import_is_taken_back(firmmem: Firmmem) -> None:
    source = FIXTURES / "server-memory.jsonl"
    ran = firmmem("import", "--from", "server-memory", source, "--dry-run")
    assert "Would come into namespace 'default': 0 validated, 5 draft, 3 proposals" in ran.out
    assert "… and 3 more" in ran.out
    assert ran.err.count("refused: line 4") == 2
    assert not firmmem.db.exists()
    said = firmmem.does("import", "--from", "server-memory", source, "--namespace", "old")
    assert "firmmem core proposals" in said
    assert "`firmmem undo 1` takes it back." in said
    assert "oolong" not in firmmem.does("recall", "乌龙茶")
    assert "乌龙茶" in firmmem.does("recall", "乌龙茶", "--namespace", "old")
    assert "8 taken back" in firmmem.does("undo", "1")
    assert "乌龙茶" not in firmmem.does("recall", "乌龙茶", "--namespace", "old")
    ran = firmmem("undo", "1")
    assert (ran.code, "taken back already" in ran.err) == (1, True)


def test_a_file_for_another_command_is_told_which(firmmem: Firmmem, tmp_path: Path) -> None:
    ran = firmmem("import", FIXTURES / "server-memory.jsonl")
    assert (ran.code, "--from server-memory" in ran.err) == (1, True)
    firmmem.does("core", "add", "Is called Ada")
    ran = firmmem("import", firmmem.db)
    assert (ran.code, "firmmem backup restore" in ran.err) == (1, True)
    firmmem.does("export", tmp_path / "out.jsonl")
    ran = firmmem("backup", "restore", tmp_path / "out.jsonl")
    assert (ran.code, "firmmem import" in ran.err) == (2, True)


def test_what_is_asked_wrongly_is_said(firmmem: Firmmem, tmp_path: Path) -> None:
    ran = firmmem("import", "--from", "notion", tmp_path)
    assert (ran.code, "server-memory" in ran.err) == (2, True)
    assert firmmem("import", "--from", "mem0", tmp_path / "none.json").code == 1
    assert firmmem("import", "--dry-run", FIXTURES / "mem0.json").code == 2
    empty = tmp_path / "empty.md"
    empty.touch()
    assert "0 validated" in firmmem.does("import", "--from", "markdown", empty)


def test_an_export_comes_in_from_stdin_s_name_too(firmmem: Firmmem, tmp_path: Path) -> None:
    firmmem.does("core", "add", "Is called Ada")
    out = tmp_path / "out.jsonl"
    firmmem.does("export", out)
    other = Firmmem(tmp_path / "other")
    (tmp_path / "other").mkdir()
    assert "1 memory imported" in other.does("import", out)
    assert "core facts: 1 there already" in other.does("import", out)
