"""Notes with a head of YAML: Claude Code's memory files, and basic-memory's."""

import re
from collections.abc import Iterator
from pathlib import Path

from firmmem.importers.found import Found, as_tags, parse_time
from firmmem.importers.markdown import find_markdown, front_matter

INDEX = "MEMORY.md"
ABOUT_USER = ("user", "feedback")  # types of Claude Code: who the user is, and how they want things done
OBSERVATION = re.compile(r"^[ \t]*[-*][ \t]+\[([^\]\n]{1,60})\][ \t]+(.+)$")
TAG = re.compile(r"(?<!\S)#([\w/-]+)")


def find_claude_code(path: Path) -> Iterator[Found]:
    """Yield Claude Code's memories: of one file, a folder, or all projects; its index and CLAUDE.md only when named."""
    if path.is_file() and path.name == "CLAUDE.md":
        yield from find_markdown(path)
        return
    files = [path] if path.is_file() else sorted({*path.glob("*.md"), *path.rglob("memory/*.md")})
    for file in files:
        if file.name not in (INDEX, "CLAUDE.md"):
            yield read_note(file)


def read_note(file: Path) -> Found:
    """Return one memory file as one statement, its first paragraph where the whole is long."""
    head, text, line = front_matter(file.read_text(encoding="utf-8-sig"))
    more = head.get("metadata")
    kind = str((more.get("type") if isinstance(more, dict) else "") or head.get("type") or "")
    body = text.strip() or str(head.get("description") or "")
    if len(body) > 1500:
        body = str(head.get("description") or body.split("\n\n")[0])
    tags = tuple(filter(None, (kind, str(head.get("name") or file.stem))))
    about = kind in ABOUT_USER
    return Found(f"{file.name}, line {line}", body, tags, file.stat().st_mtime, about_user=about, confirmed=True)


def find_basic_memory(path: Path) -> Iterator[Found]:
    """Yield the observations of basic-memory's notes: `- [category] text #tag`, with the note's title."""
    for file in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
        head, text, first = front_matter(file.read_text(encoding="utf-8-sig"))
        title = str(head.get("title") or file.stem)
        created = parse_time(head.get("created") or head.get("date")) or file.stat().st_mtime
        for number, line in enumerate(text.splitlines(), first):
            if found := OBSERVATION.match(line):
                said = TAG.sub("", found[2]).strip()
                tags = (found[1], *TAG.findall(found[2]), *as_tags(head.get("tags")))
                yield Found(f"{file.name}, line {number}", f"{title}: {said}", tags, created, confirmed=True, bare=said)
