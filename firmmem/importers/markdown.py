"""Markdown: each item of a list and each paragraph is a statement; headings are its tags, code is left out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firmmem.importers.found import Found, as_tags, parse_time

ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$")
HEADING = re.compile(r"^(?:#{1,6}[ \t]+(.*?)[ \t#]*|\*\*([^*]+?)[:：]?\*\*)$")
FENCE = re.compile(r"^[ \t]*(```|~~~)")
FRONT = re.compile(r"\A---\r?\n(.*?\r?\n)---\r?\n", re.DOTALL)


def statements(text: str, where: str, *, first_line: int = 1, confirmed: bool = False) -> Iterator[Found]:
    """Yield the statements of a text, each with its line."""
    heading, fenced = "", False
    block: list[str] = []
    began = first_line

    def finished() -> Iterator[Found]:
        if block:
            tags = (heading,) if heading else ()
            yield Found(f"{where}line {began}", "\n".join(block), tags, confirmed=confirmed)
            block.clear()

    for number, line in enumerate(text.splitlines(), first_line):
        item, title = ITEM.match(line), HEADING.match(line.strip())
        if FENCE.match(line):
            fenced = not fenced
        if fenced or FENCE.match(line) or title or item or not line.strip():
            yield from finished()
        if title and not fenced:
            heading = next(part for part in title.groups() if part is not None).strip()[:80]
        elif item and not fenced:
            block, began = [item[1].strip()], number
        elif line.strip() and not fenced and not FENCE.match(line):
            began = began if block else number
            block.append(line.strip())
    yield from finished()


def front_matter(text: str) -> tuple[dict[str, Any], str, int]:
    """Return what a text says at its head, the rest, and the line on which that begins."""
    found = FRONT.match(text)
    if not found:
        return {}, text, 1
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        head = YAML(typ="safe", pure=True).load(found[1])
    except YAMLError:
        head = None
    return head if isinstance(head, dict) else {}, text[found.end() :], found[0].count("\n") + 1


def find_markdown(path: Path) -> Iterator[Found]:
    """Yield the statements of a Markdown file, or of all in a folder."""
    for file in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
        head, text, line = front_matter(file.read_text(encoding="utf-8-sig"))
        created = parse_time(head.get("created") or head.get("date"))
        for found in statements(text, f"{file.name}, ", first_line=line, confirmed=True):
            yield Found(found.place, found.text, (*found.tags, *as_tags(head.get("tags"))), created, confirmed=True)
