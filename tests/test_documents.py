"""The documents: every link arrives, every page is found from the index, every command exists, in both languages."""

import contextlib
import itertools
import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer
from markdown_it import MarkdownIt
from support.checkout import CHECKOUT
from typer.main import get_command

from firmmem.__main__ import command_line

OWN = "https://github.com/jiayoupengpeng/firmmem-mcp/blob/main/"
DOCS = CHECKOUT / "docs"
PLACES = ("*.md", "docs/**/*.md", "models/*.md", "plugins/**/*.md", "scripts/**/*.md")
DOCUMENTS = sorted(page for place in PLACES for page in CHECKOUT.glob(place))
FOR_BUILDERS = [CHECKOUT / "CONTRIBUTING.md", *DOCS.glob("architecture.md")]
ENGLISH_ONLY = {page.name for page in FOR_BUILDERS}
PAGES = sorted(page.name for page in DOCS.glob("*.md") if page.name not in ENGLISH_ONLY)
markdown = MarkdownIt("commonmark").enable("table")


def links(page: Path) -> Iterator[str]:
    """Yield where a document's links and pictures go."""
    for block in markdown.parse(page.read_text(encoding="utf-8")):
        for token in block.children or ():
            target = token.attrGet("href") or token.attrGet("src")
            if target:
                yield unquote(str(target))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives a document's headings."""
    tokens = markdown.parse(page.read_text(encoding="utf-8"))
    found: set[str] = set()
    for heading, inline in itertools.pairwise(tokens):
        if heading.type == "heading_open":
            title = "".join(token.content for token in inline.children or ())
            anchor = "".join(letter for letter in title.lower() if letter in " -_" or is_word(letter)).replace(" ", "-")
            again = next(n for n in range(99) if (f"{anchor}-{n}" if n else anchor) not in found)
            found.add(f"{anchor}-{again}" if again else anchor)
    return found


def is_word(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LNM"


def arrives(page: Path, link: str) -> bool:
    """Return whether a link of a page to a file of this repository leads to a file, and to a heading of it."""
    target, anchor = goal(page, link)
    return target.exists() and target.is_relative_to(CHECKOUT) and (not anchor or anchor in anchors(target))


def goal(page: Path, link: str) -> tuple[Path, str]:
    """Return the file that a link of a page goes to, and the anchor in it."""
    path, _, anchor = link.removeprefix(OWN).partition("#")
    start = CHECKOUT if link.startswith(OWN) else page.parent
    return (start / path).resolve() if path else page, anchor


def is_elsewhere(link: str) -> bool:
    return link.startswith(("https://", "http://", "mailto:")) and not link.startswith(OWN)


def names(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(CHECKOUT)) for page in pages]


@pytest.mark.parametrize("page", DOCUMENTS, ids=names(DOCUMENTS))
def test_every_link_arrives(page: Path) -> None:
    assert [link for link in links(page) if not is_elsewhere(link) and not arrives(page, link)] == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=names(DOCUMENTS))
def test_links_elsewhere_are_encrypted(page: Path) -> None:
    assert [link for link in links(page) if is_elsewhere(link) and not link.startswith("https://")] == []


def test_links_and_pictures_of_the_readme_work_where_pypi_shows_it() -> None:
    assert [link for link in links(CHECKOUT / "README.md") if not link.startswith("https://")] == []


def test_every_page_is_found_from_the_index() -> None:
    reached, waiting = set[Path](), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            waiting += [goal(page, link)[0] for link in links(page) if not is_elsewhere(link)]
    assert names([page for page in DOCUMENTS if page not in reached]) == []


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readme_is_one_page(readme: str) -> None:
    assert len((CHECKOUT / readme).read_bytes()) <= 8000


def test_every_page_for_users_is_there_in_chinese() -> None:
    assert sorted(page.name for page in (DOCS / "zh").glob("*.md")) == PAGES


def pairs() -> list[tuple[Path, Path]]:
    return [
        (CHECKOUT / "README.md", CHECKOUT / "README.zh-CN.md"),
        *((DOCS / name, DOCS / "zh" / name) for name in PAGES),
    ]


@pytest.mark.parametrize(("english", "chinese"), pairs(), ids=["README.md", *PAGES])
def test_both_languages_have_the_same_sections_blocks_and_commands(english: Path, chinese: Path) -> None:
    assert shape(english) == shape(chinese)


def shape(page: Path) -> list[str]:
    """Return a document's headings by their level, tables by their rows, and blocks by their language and commands."""
    return [part for token in markdown.parse(page.read_text(encoding="utf-8")) if (part := shown(token.type, token))]


def shown(kind: str, token: object) -> str:
    tag, info, content = (str(getattr(token, name)) for name in ("tag", "info", "content"))
    if kind == "fence":
        return f"{info}: {commands(content)}" if info in {"sh", "bat"} else info or "block"
    return tag if kind in {"heading_open", "tr_open", "list_item_open", "blockquote_open"} else ""


def commands(block: str) -> list[str]:
    """Return a block's lines without their comments and texts in quotes, which are translated."""
    return [
        re.sub(r'"[^"]*"', '""', line.partition("#")[0] if " #" in line else line).strip()
        for line in block.splitlines()
    ]


OF_TODAY = [page for page in DOCUMENTS if page.name != "CHANGELOG.md"]


@pytest.mark.parametrize("page", OF_TODAY, ids=names(OF_TODAY))
def test_every_command_is_one_that_the_command_line_has(page: Path) -> None:
    tokens = markdown.parse(page.read_text(encoding="utf-8"))
    for block in tokens:
        for token in block.children or ():
            if token.type == "code_inline" and (words := of_firmmem(token.content)):
                found(words)
        if block.type == "fence":
            for line in block.content.splitlines():
                take(of_firmmem(line))


def of_firmmem(line: str) -> list[str]:
    """Return the words after `firmmem` of a command that a document shows, and none of other text."""
    name, _, arguments = line.partition(" ")
    if re.split(r"[/\\]", name)[-1] != "firmmem":
        return []
    words = [word for word in shlex.split(arguments, comments=True) if word not in {"...", "…"}]
    return words[: words.index(">")] if ">" in words else words


def found(words: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the command that words name, and the words that are left for it."""
    command, left = program(), list(words)
    while left and left[0] in (inner := getattr(command, "commands", {})):
        command = inner[left.pop(0)]
    assert not (left and hasattr(command, "commands") and not left[0].startswith("-")), f"no command: {words}"
    return command, left


@cache
def program() -> Any:
    return get_command(command_line())


def take(words: Sequence[str]) -> None:
    """Parse a command as the command line does, which raises an error where it would."""
    command, left = found(words)
    if words:
        with contextlib.suppress(typer.Exit):  # of --help
            command.make_context("firmmem", left)


@pytest.mark.parametrize("page", OF_TODAY, ids=names(OF_TODAY))
def test_every_file_that_a_document_names_is_there(page: Path) -> None:
    folders = ("firmmem/", "migrations/", "plugins/", "scripts/", "tests/")
    named = [each for each in spans(page) if each.startswith(folders) and not re.search(r"[N*{\s]", each)]
    assert [each for each in named if not (CHECKOUT / each).exists()] == []


@pytest.mark.parametrize("page", FOR_BUILDERS, ids=names(FOR_BUILDERS))
def test_every_function_that_a_document_names_is_there(page: Path) -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in (CHECKOUT / "firmmem").rglob("*.py"))
    there = set(re.findall(r"^ *(?:async )?(?:def|class) (\w+)", code, re.MULTILINE))
    named = [found[1] for each in spans(page) if (found := re.fullmatch(r"(?:\w+\.)*(\w+)\(\)", each))]
    assert [each for each in named if each not in there] == []


def test_every_room_of_the_package_is_in_the_page_of_its_architecture() -> None:
    page = DOCS / "architecture.md"
    rooms = [file.parent.relative_to(CHECKOUT) for file in (CHECKOUT / "firmmem").rglob("__init__.py")]
    parents = {room.parent for room in rooms}
    text = page.read_text(encoding="utf-8")
    assert [str(room) for room in rooms if room not in parents and f"`{room}/`" not in text] == []


def spans(page: Path) -> list[str]:
    """Return the words in a document that are set as code."""
    blocks = markdown.parse(page.read_text(encoding="utf-8"))
    return [token.content for block in blocks for token in block.children or () if token.type == "code_inline"]
