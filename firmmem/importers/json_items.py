"""Lists of memories as JSON: mem0, mcp-memory-service, ChatGPT, claude.ai and others have a text, dates, tags."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.importers.found import Found, as_tags, parse_time
from firmmem.importers.markdown import statements

TEXTS = ("memory", "content", "text", "summary", "fact", "value")
TIMES = ("created_at", "createdAt", "created", "created_timestamp", "created_at_iso", "timestamp", "updated_at")
TAGS = ("tags", "categories", "category", "type", "memory_type")
LISTS = ("results", "memories", "items", "data")


def load_json(file: Path) -> Any:
    """Return a file's value.

    Raises:
        InvalidArgumentError: It is no JSON.
    """
    try:
        return json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"{file} is no JSON: {str(error).splitlines()[0]}; nothing was imported.") from None


def find_items(file: Path, *, confirmed: bool = False) -> Iterator[Found]:
    """Yield the memories of a list, or of an object that holds one.

    Raises:
        InvalidArgumentError: There is no list.
    """
    value = load_json(file)
    if isinstance(value, Mapping):
        value = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(value, list):
        raise InvalidArgumentError(f"{file} holds no list of memories; nothing was imported.")
    for number, item in enumerate(value, 1):
        yield read_item(item, f"item {number}", confirmed=confirmed)


def read_item(item: Any, place: str, *, confirmed: bool) -> Found:
    """Return one memory of a list; one without a text has an empty one, which is refused with its place."""
    if not isinstance(item, Mapping):
        return Found(place, item if isinstance(item, str) else "", confirmed=confirmed)
    more = item.get("metadata")
    both = {**more, **item} if isinstance(more, Mapping) else item
    text = next((item[name] for name in TEXTS if isinstance(item.get(name), str)), "")
    tags = tuple(tag for name in TAGS for tag in as_tags(both.get(name)))
    moments = (parse_time(both.get(name)) for name in TIMES)
    created = next((moment for moment in moments if moment is not None), None)
    return Found(place, text, tuple(dict.fromkeys(tags)), created, confirmed=confirmed)


def find_claude_ai(file: Path) -> Iterator[Found]:
    """Yield what claude.ai's memories.json holds: Markdown about the person, and about each project."""
    value = load_json(file)
    for number, item in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(item, Mapping):
            continue
        texts = {"conversations_memory": item.get("conversations_memory")}
        projects = item.get("project_memories")
        texts |= {f"project {key}": text for key, text in projects.items()} if isinstance(projects, Mapping) else {}
        if not any(isinstance(text, str) for text in texts.values()):
            yield read_item(item, f"item {number}", confirmed=True)
        for name, text in texts.items():
            if isinstance(text, str):
                yield from statements(text, f"{name}, ", confirmed=True)


def find_chatgpt(file: Path) -> Iterator[Found]:
    """Yield ChatGPT's memory, as JSON or as a list in a text."""
    if file.suffix.lower() == ".json":
        yield from find_items(file, confirmed=True)
    else:
        yield from statements(file.read_text(encoding="utf-8-sig"), "", confirmed=True)
