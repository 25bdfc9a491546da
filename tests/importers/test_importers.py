"""Other memories' files, most of them written by the real programs: what comes in, as what, and what is refused."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.stores import START

from firmmem.cli.exchange import NAMES
from firmmem.errors import InvalidArgumentError
from firmmem.importers.found import Found, as_tags, parse_time
from firmmem.importers.intake import Intake, Reader
from firmmem.importers.kinds import KINDS, find_all
from firmmem.importers.markdown import front_matter
from firmmem.importers.rules import waits_for_person
from firmmem.memory.exchange.arriving import Imported
from firmmem.memory.exchange.export import export_lines
from firmmem.memory.exchange.import_ import import_prepared
from firmmem.memory.exchange.record import MemoryRecord
from firmmem.memory.exchange.take_back import TakingBack
from firmmem.memory.write.core_facts import add_fact
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

FIXTURES = Path(__file__).parent / "fixtures"
NOW = datetime(2026, 12, 2, tzinfo=UTC).timestamp()


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    connection = open_connection(settings, by_person=True)
    yield connection
    connection.close()


def read(kind: str, path: Path, connection: Connection | None = None) -> Intake:
    return Reader(connection, kind, "default", Settings(), now=NOW).read(find_all(kind, path))


def lines(kind: str, path: Path) -> list[str]:
    return read(kind, path).first(99)


def take_in(connection: Connection, intake: Intake, settings: Settings) -> Imported:
    return import_prepared(
        connection, lambda: intake.ready, len(intake.ready), intake.highest, settings, lambda: NOW, join=False
    )


def test_server_memory_gives_observations_and_relations_and_refuses_secrets_and_chat() -> None:
    intake = read("server-memory", FIXTURES / "server-memory.jsonl")
    assert intake.first(99) == [
        "proposal: Speaks fluent Spanish",
        "proposal: Is allergic to peanuts",
        "proposal: Always answer in Chinese",
        "draft: 喜欢喝乌龙茶",
        "draft: Anthropic: Makes Claude",
        "draft: deploy: CI runs on Buildkite since 2026-03-01",
        "draft: The deploy script needs Node 22",
        "draft: default_user works at Anthropic",
    ]
    secret, chat = intake.refused
    assert secret.startswith("line 4: ")
    assert "AWS access key" in secret
    assert "AKIA" not in secret
    assert "transcript" in chat
    assert intake.ready[4].stored.tags == ("organization", "anthropic")


def test_hermes_notes_and_facts_come_in_with_what_hermes_knows_of_them() -> None:
    notes = lines("hermes", FIXTURES / "hermes")
    assert notes[:4] == [
        "validated: The deploy script needs Node 22",
        "validated: Staging database is MySQL 8 on host db2",
        "validated: 用户的项目用 uv 管理依赖",
        "validated: Line one of a note and line two of it",
    ]
    assert notes[4:] == [
        "proposal: The user's name is Li Wei",
        "validated: Prefers concise answers in Chinese",
        "proposal: Never commit without asking",
        "validated: Likes oolong tea",
    ]
    facts = read("hermes", FIXTURES / "hermes" / "memory_store.sqlite")
    assert facts.first(9) == [
        "validated: The API gateway runs on port 8443",
        "draft: User prefers dark mode",
        "draft: The cache is Redis 7",
    ]
    record = facts.ready[0].record
    assert isinstance(record, MemoryRecord)
    assert record.tags == ["project", "api", "gateway"]
    assert record.created_at == datetime(2026, 12, 1, 6, 1, 50, tzinfo=UTC).timestamp()
    assert record.reviewed_at == NOW


def test_mem0_keeps_dates_and_categories() -> None:
    intake = read("mem0", FIXTURES / "mem0.json")
    assert sorted(intake.first(9)) == [
        "draft: Prefers vegetarian restaurants",
        "proposal: Lives in Berlin",
        "proposal: My name is Sofia",
    ]
    assert {tag for each in intake.ready for tag in each.stored.tags} == {"identity", "personal"}


def test_mcp_memory_service_is_read_from_its_database() -> None:
    intake = read("mcp-memory-service", FIXTURES / "mcp_memory_service.sqlite")
    assert intake.first(9) == [
        "draft: The staging server runs Debian 13",
        "draft: User decided to use PostgreSQL for billing",
        "proposal: Always run the linter before a commit",
    ]
    assert intake.ready[0].stored.tags == ("infra", "staging", "note")


def test_mcp_memory_service_is_read_from_its_export_too(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    item = {"content": "The cache is Redis 7", "tags": ["infra"], "created_at": 1_796_000_000.5, "memory_type": "note"}
    file.write_text(json.dumps({"memories": [item]}), encoding="utf-8")
    [ready] = read("mcp-memory-service", file).ready
    assert isinstance(ready.record, MemoryRecord)
    assert (ready.record.created_at, ready.record.tags) == (1_796_000_000.5, ["infra", "note"])


def test_basic_memory_gives_observations_with_the_title_of_their_note() -> None:
    intake = read("basic-memory", FIXTURES / "basic_memory")
    assert intake.first(9) == [
        "validated: Coffee Brewing: Pour over gives the clearest cup",
        "validated: Coffee Brewing: The user prefers light roasts (since 2025)",
        "validated: Coffee Brewing: Grind 15 g of beans per 250 ml of water",
    ]
    assert intake.ready[0].stored.tags == ("method", "brewing", "manual", "coffee")


def claude_code(folder: Path) -> Path:
    memory = folder / "projects" / "-home-li-shop" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [Tests](tests.md) — index line\n", encoding="utf-8")
    note = "---\nname: {name}\ndescription: {text}\nmetadata:\n  type: {kind}\n---\n\n{text}\n"
    for name, kind, text in (
        ("tests", "feedback", "Integration tests hit a real database."),
        ("freeze", "project", "The release branch is frozen until March."),
        ("long", "reference", "x" * 1900),
    ):
        described = note.format(name=name, kind=kind, text=text)
        (memory / f"{name}.md").write_text(described.replace("description: xxx", "description: short xxx", 1), "utf-8")
    (folder / "projects" / "CLAUDE.md").write_text("# Rules\n\n- Always use tabs\n", encoding="utf-8")
    return folder / "projects"


def test_claude_code_s_files_come_in_without_its_index(tmp_path: Path) -> None:
    folder = claude_code(tmp_path)
    found = lines("claude-code", folder)
    assert "validated: The release branch is frozen until March." in found
    assert "proposal: Integration tests hit a real database." in found
    assert len(found) == 3
    assert not any("tabs" in line or "index" in line for line in found)
    assert lines("claude-code", folder / "CLAUDE.md") == ["proposal: Always use tabs"]


def test_claude_ai_s_export_is_split_into_statements(tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    text = "**Work context**\n\nRuns a bakery in Porto.\n\n**Tastes**\n\n- Likes jazz\n- Never wants emoji\n"
    file.write_text(json.dumps([{"conversations_memory": text, "project_memories": {"p1": "Uses Rust."}}]), "utf-8")
    assert (
        lines("claude-ai", file)
        == [
            "validated: Runs a bakery in Porto.",
            "validated: Likes jazz",
            "validated: Never wants emoji",
            "validated: Uses Rust.",
        ]
        or lines("claude-ai", file)[2] == "proposal: Never wants emoji"
    )
    file.write_text(json.dumps([{"memory": "Plays chess"}, 7]), encoding="utf-8")
    assert lines("claude-ai", file) == ["validated: Plays chess"]


def test_chatgpt_s_memory_is_read_as_json_or_a_list(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    file.write_text('{"memories": ["Has a dog", {"content": "Has a cat", "created_timestamp": 1790000000}]}', "utf-8")
    assert lines("chatgpt", file) == ["validated: Has a dog", "validated: Has a cat"]
    text = tmp_path / "memory.txt"
    text.write_text("\ufeff1. Has a dog\n2) Has a cat\n", encoding="utf-8")
    assert lines("chatgpt", text) == ["validated: Has a dog", "validated: Has a cat"]


def test_markdown_gives_items_and_paragraphs_and_no_code(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text(
        "---\ntags: [home]\ncreated: 2025-05-04\n---\n# Garden\n\nThe roses\nneed water.\n- [x] The shed is green\n\n"
        "```\ncode that says nothing\n```\n1. The gate squeaks\n",
        encoding="utf-8",
    )
    intake = read("markdown", file)
    assert intake.first(9) == [
        "validated: The roses need water.",
        "validated: The shed is green",
        "validated: The gate squeaks",
    ]
    assert intake.ready[0].stored.tags == ("garden", "home")
    assert isinstance(intake.ready[0].record, MemoryRecord)
    assert intake.ready[0].record.created_at == datetime(2025, 5, 4, tzinfo=UTC).timestamp()


def test_csv_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    file = tmp_path / "memories.csv"
    file.write_text('Text,Tags,Created_at\n"The key, a spare one, is outside","a,b",1790000000\n,x,\n', "utf-8")
    intake = read("csv", file)
    assert intake.first(9) == ["validated: The key, a spare one, is outside"]
    assert [line.split(":")[0] for line in intake.refused] == ["line 3"]
    assert isinstance(intake.ready[0].record, MemoryRecord)
    assert intake.ready[0].record.created_at == 1_790_000_000


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("mem0", b"{"),
        ("mem0", b'{"a": 1}'),
        ("mem0", b"7"),
        ("mcp-memory-service", b"SQLite format 3\0 but not really"),
        ("csv", b"a,b\n1,2\n"),
        ("markdown", b"\xff\xfe\x00"),
        ("claude-ai", b"[" * 100_000),
    ],
)
def test_a_file_that_can_t_be_read_as_its_kind_is_one_sentence(kind: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file.bin"
    file.write_bytes(content)
    with pytest.raises(InvalidArgumentError):
        read(kind, file)


def test_a_folder_without_hermes_s_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"neither memories/MEMORY\.md"):
        read("hermes", tmp_path)


def test_a_line_that_says_nothing_is_refused_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text('\n{"type":"entity"}\nnot json\n{"type":"entity","name":"x","observations":["Is red"]}\n', "utf-8")
    intake = read("server-memory", file)
    assert [line.split(":")[0] for line in intake.refused] == ["line 2", "line 3"]
    assert intake.first(9) == ["draft: x: Is red"]


@pytest.mark.parametrize("kind", ["hermes", "server-memory", "mem0", "basic-memory", "mcp-memory-service"])
def test_an_import_adds_no_core_fact_comes_once_and_is_taken_back_whole(
    person: Connection, settings: Settings, kind: str
) -> None:
    path = {
        "hermes": FIXTURES / "hermes",
        "server-memory": FIXTURES / "server-memory.jsonl",
        "mem0": FIXTURES / "mem0.json",
        "basic-memory": FIXTURES / "basic_memory",
        "mcp-memory-service": FIXTURES / "mcp_memory_service.sqlite",
    }[kind]
    with transaction(person):
        add_fact(person, "The user's name is Li Wei", settings, namespace="default", now=START)
    before = list(export_lines(person))
    intake = read(kind, path, person)
    done = take_in(person, intake, settings)
    assert done.new + done.proposed == len(intake.ready) > 0
    assert person.execute("SELECT count(*) FROM memory WHERE tier = 'core'").fetchone()[0] == 1
    sources = {row["source"] for row in person.execute("SELECT source FROM memory WHERE tier <> 'core'")}
    assert sources == {f"import from {kind}"}
    again = read(kind, path, person)
    assert again.ready == []
    assert again.known == intake.known + len(intake.ready)
    assert list(TakingBack(person, done.run_id).work(lambda: NOW)) == []
    assert list(export_lines(person)) == before


def test_what_is_here_already_is_left_as_it_is(person: Connection, settings: Settings) -> None:
    take_in(person, Reader(person, "csv", "default", settings, now=START).read([Found("1", "Has a dog")]), settings)
    intake = Reader(person, "csv", "default", settings, now=NOW).read(
        [Found("1", "has a DOG", confirmed=True), Found("2", "Has a cat"), Found("3", "Has a  cat")]
    )
    assert (intake.known, intake.repeated, len(intake.ready)) == (1, 1, 1)


def test_only_so_many_proposals_wait_and_the_rest_come_in_as_memories(person: Connection, settings: Settings) -> None:
    found = [Found(str(number), f"Never use the port {number}") for number in range(120)]
    intake = Reader(person, "csv", "default", settings, now=NOW).read(found)
    assert (intake.counts["proposal"], intake.counts["draft"], intake.crowded) == (100, 20, 20)


def test_a_large_import_of_another_memory_is_one_run(person: Connection, settings: Settings) -> None:
    found = [Found(str(number), f"The box {number} is full", ("box",)) for number in range(500)]
    done = take_in(person, Reader(person, "csv", "default", settings, now=NOW).read(found), settings)
    assert done.new == 500
    assert list(TakingBack(person, done.run_id).work(lambda: NOW)) == []
    assert person.execute("SELECT count(*) FROM memory").fetchone()[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        "My name is Ada", "The user's name is Li Wei", "I am allergic to nuts", "Is allergic to nuts", "Lives in Rome",
        "Works at a bank", "Always answer in German", "Never commit without asking", "Don't use emoji", "我叫陈宇",
        "用户住在杭州", "用户对花生过敏", "请不要使用表情", "以后都用中文回答", "You must ask first",
    ],
)  # fmt: skip
def test_identity_and_rules_wait_for_a_person(text: str) -> None:
    assert waits_for_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "The deploy script needs Node 22", "Likes oolong tea", "The database was migrated to PostgreSQL",
        "CI never finishes before noon", "喜欢喝乌龙茶", "会议改到周三下午两点", "我是否该换工作还没决定",
    ],
)  # fmt: skip
def test_other_statements_do_not(text: str) -> None:
    assert not waits_for_person(text)


def test_moments_and_tags_are_read_as_programs_write_them() -> None:
    assert parse_time("2026-12-01T06:03:00Z") == parse_time(1_796_104_980) == parse_time(1_796_104_980_000)
    assert parse_time("2026-12-01 06:03:00") == parse_time("2026-12-01T07:03:00+01:00")
    assert [parse_time(value) for value in (None, True, "soon")] == [None, None, None]
    assert as_tags("a, #b,,") == ("a", "b")
    assert as_tags([1, " x "]) == ("1", "x")
    assert as_tags(None) == ()
    assert front_matter("---\n[\n---\nx") == ({}, "x", 4)


def test_the_command_knows_every_kind() -> None:
    assert tuple(KINDS) == NAMES
