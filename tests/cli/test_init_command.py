"""`firmmem init`: the baseline core facts, once, and all or none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.checkout import CHECKOUT
from support.firmmem_command import Firmmem

EXAMPLE = CHECKOUT / "scripts" / "core_facts.example.toml"


def test_the_example_becomes_core_facts_and_a_second_time_changes_nothing(firmmem: Firmmem) -> None:
    firmmem.does("init", EXAMPLE)
    facts = firmmem.facts("--all")
    assert len(facts) == 4
    assert "用户的时区是 Asia/Shanghai。" in firmmem.texts()
    assert "already there" in firmmem.does("init", EXAMPLE)
    assert firmmem.facts("--all") == facts


def test_the_example_is_printed_to_start_from(firmmem: Firmmem) -> None:
    printed = firmmem.does("init", "--example")
    assert printed.strip() == EXAMPLE.read_text(encoding="utf-8").strip()
    assert not firmmem.db.exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("facts.toml", 'facts = ["The user\'s name is Wei.", "用户喜欢绿茶。"]'),
        ("facts.json", '["The user\'s name is Wei.", {"fact": "用户喜欢绿茶。"}]'),
        ("facts.json", '{"facts": ["The user\'s name is Wei.", "用户喜欢绿茶。"]}'),
        ("facts.md", "# Me\n\nSome prose.\n\n- The user's name\n  is Wei.\n* 用户喜欢绿茶。\n<!-- - not this -->\n"),
        ("facts.txt", "1. The user's name is Wei.\r\n2. 用户喜欢绿茶。\r\n"),
    ],
)
def test_toml_json_and_markdown_are_read(firmmem: Firmmem, name: str, text: str) -> None:
    file = firmmem.folder / name
    file.write_bytes(text.encode())
    firmmem.does("init", file)
    assert firmmem.texts() == ["The user's name is Wei.", "用户喜欢绿茶。"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_editors_on_windows_write_is_read(firmmem: Firmmem, encoding: str) -> None:
    file = firmmem.folder / "facts.md"
    file.write_bytes("- 用户喜欢绿茶。\r\n".encode(encoding))
    firmmem.does("init", file)
    assert firmmem.texts() == ["用户喜欢绿茶。"]


def test_a_markdown_item_may_begin_with_its_subject(firmmem: Firmmem) -> None:
    file = firmmem.folder / "facts.md"
    file.write_text("- `user.name` The user's name is Wei.\n- `tabs`\n", encoding="utf-8")
    firmmem.does("init", file)
    assert [(fact["fact"], fact["subject"]) for fact in firmmem.facts()] == [
        ("The user's name is Wei.", "user.name"),
        ("`tabs`", ""),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("f.toml", 'facts = ["fine", ""]', "fact 2"),
        ("f.toml", '[[facts]]\nfact = "fine"\n[[facts]]\ntext = "no"', "fact 2 has 'text'"),
        ("f.toml", "[[facts]]\nfact = 5", "fact 1 needs a text"),
        ("f.toml", 'facts = ["unfinished', "can't be read as TOML"),
        ("f.toml", 'fact = ["fine"]', "'fact' is not known"),
        ("f.json", '["fine", {"fact": "x", "tags": "a"}]', "fact 2"),
        ("f.json", '["fine", 5]', "fact 2"),
        ("f.json", "[" * 100_000, "can't be read as JSON"),
        ("f.md", "- fine\n\n- " + "x" * 2001, "line 3"),
        ("f.md", "no list at all", "holds no facts"),
        ("f.yaml", "- fine", "no known kind"),
    ],
)
def test_a_bad_file_names_the_entry_and_changes_nothing(firmmem: Firmmem, name: str, text: str, said: str) -> None:
    file = firmmem.folder / name
    file.write_text(text, encoding="utf-8")
    ran = firmmem("init", file)
    assert ran.code == 1
    assert said in ran.err
    assert firmmem.texts("--all") == []


def test_two_entries_about_one_subject_are_both_named(firmmem: Firmmem) -> None:
    file = firmmem.folder / "f.json"
    file.write_text('[{"fact": "A", "subject": "user.name"}, "fine", {"fact": "B", "subject": "User.Name"}]')
    ran = firmmem("init", file)
    assert ran.code == 1
    assert "fact 1 and fact 3" in ran.err
    assert firmmem.texts("--all") == []


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_is_not_there_is_told(firmmem: Firmmem, name: str) -> None:
    assert firmmem("init", firmmem.folder / name).code == 1
    assert not firmmem.db.exists()


def test_a_file_in_another_encoding_is_told(firmmem: Firmmem) -> None:
    file = firmmem.folder / "f.md"
    file.write_bytes("- 用户喜欢绿茶。".encode("gb18030"))
    ran = firmmem("init", file)
    assert ran.code == 1
    assert "save it as UTF-8" in ran.err


def test_what_a_person_edited_or_removed_stays_so(firmmem: Firmmem) -> None:
    firmmem.does("init", EXAMPLE)
    firmmem.does("core", "edit", "4", "Never ask.")
    firmmem.does("core", "remove", "1", "--yes")
    before = firmmem.facts("--all")
    said = firmmem.does("init", EXAMPLE)
    assert firmmem.facts("--all") == before
    assert "kept #4" in said
    assert "a person removed it as #1" in said


def test_a_known_subject_keeps_its_fact(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user's name is Anna.", "--subject", "user.name")
    assert "kept #1: The user's name is Anna." in firmmem.does("init", EXAMPLE)
    assert "The user's name is Anna." in firmmem.texts()


def test_facts_are_of_the_namespace_that_is_named(firmmem: Firmmem) -> None:
    firmmem.does("init", EXAMPLE, "--namespace", "hermes_default")
    assert len(firmmem.texts("--namespace", "hermes_default")) == 4
    assert firmmem.texts() == []


@pytest.mark.parametrize("program", [("-m", "firmmem", "init"), (CHECKOUT / "scripts" / "init_core_memory.py",)])
def test_without_a_file_and_a_terminal_it_says_what_to_do(firmmem: Firmmem, program: tuple[str | Path, ...]) -> None:
    ran = firmmem(program=program)
    assert (ran.code, ran.out) == (2, "")
    assert "firmmem init FILE" in ran.err
    assert not firmmem.db.exists()


def test_the_script_does_what_the_command_does(firmmem: Firmmem) -> None:
    ran = firmmem(EXAMPLE, program=(CHECKOUT / "scripts" / "init_core_memory.py",))
    assert ran.code == 0
    assert len(firmmem.texts()) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_in_a_terminal_it_asks_and_answers_in_chinese_become_chinese_facts(firmmem: Firmmem) -> None:
    answers = ["李伟", "中文", "", "", "回答要简短", "", ""]
    answered(firmmem, answers)
    assert firmmem.texts() == ["用户的名字是李伟。", "用户希望用中文回答。", "回答要简短"]
    answered(firmmem, ["Europe/Berlin", "", "回答要简短", ""])
    assert firmmem.texts()[-1] == "The user's time zone is Europe/Berlin."
    assert len(firmmem.texts()) == 4


def answered(firmmem: Firmmem, answers: list[str]) -> None:
    """Run `firmmem init` in a terminal and type the answers."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "firmmem", "init"], env=firmmem.environment(), stdin=theirs, stdout=subprocess.PIPE
    )
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    said, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0, said.decode()
