"""JSON with comments and trailing commas, edited by positions so that nothing else of the text changes.

Comments and trailing commas are overwritten with spaces, after which it is plain JSON of the same length: Python's
own decoder then says what is where. The libraries that keep comments need Node.js or a newer Python than ours.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from firmmem.connect.changes import Add, Change, Drop, Keys, Remove, Set, depth, value_at
from firmmem.errors import InvalidArgumentError

STRING = r'"(?:\\.|[^"\\])*"'
COMMENT = re.compile(rf"{STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
COMMA = re.compile(rf"{STRING}|,(?=\s*[}}\]])", re.DOTALL)
SPACE = re.compile(r"[ \t\r\n\ufeff]*")
DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Item:
    """A member of an object, or an item of an array: where it begins, where its value begins and ends."""

    key: str | None
    start: int
    value: int
    end: int


class Text:
    """A text and the positions in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = COMMENT.sub(spaces, text)  # without comments
        self.plain = COMMA.sub(spaces, self.bare).replace("\ufeff", " ")  # without trailing commas either
        self.newline = "\r\n" if "\r\n" in text else "\n"
        indented = re.search(r'\n([ \t]+)"', self.bare)
        self.unit = indented[1] if indented else "  "

    def skip(self, at: int) -> int:
        """Return where the next character is that is neither space nor comment."""
        found = SPACE.match(self.bare, at)
        return found.end() if found else at

    def items(self, start: int) -> tuple[list[Item], int]:
        """Return what the object or array that begins here holds, and where its closing bracket is."""
        closing, items = ("}" if self.plain[start] == "{" else "]"), []
        at = self.skip(start + 1)
        while self.bare[at] != closing:
            if self.bare[at] != ",":
                items.append(self.item(at, named=closing == "}"))
                at = items[-1].end
            else:
                at += 1
            at = self.skip(at)
        return items, at

    def item(self, at: int, *, named: bool) -> Item:
        """Return the member or item that begins here."""
        start, key = at, None
        if named:
            key, at = DECODER.raw_decode(self.plain, at)
            at = self.skip(self.skip(at) + 1)
        return Item(key, start, at, DECODER.raw_decode(self.plain, at)[1])

    def find(self, path: Keys) -> int:
        """Return where the value at a path begins, each of whose keys is there.

        Raises:
            InvalidArgumentError: A key is there twice, so that it can't be said which one counts.
        """
        at = self.skip(0)
        for key in path:
            found = [item for item in self.items(at)[0] if item.key == key]
            if len(found) > 1:
                raise InvalidArgumentError(f"it has {key!r} twice.")
            at = found[0].value
        return at

    def indent(self, at: int) -> str:
        """Return what the line of a position begins with."""
        line = self.text.rfind("\n", 0, at) + 1
        return re.match(r"[ \t]*", self.text[line:at])[0]  # type: ignore[index]  # it always matches

    def begins_line(self, at: int) -> bool:
        """Return whether only spaces are before a position in its line."""
        return not self.text[self.text.rfind("\n", 0, at) + 1 : at].strip(" \t")

    def line_end(self, at: int) -> int:
        """Return where the line ends after comments that end in it; `at` itself where more is in it."""
        found = re.compile(r"[^\S\r\n]*").match(self.bare, at)
        end = found.end() if found else at
        return at if self.bare[end : end + 1] not in ("\r", "\n") or self.in_comment(end) else end

    def around(self, start: int, stop: int) -> tuple[int, int]:
        """Return what goes with a member: its lines where it has them to itself, else the spaces next to it."""
        text, line = self.text, self.text.rfind("\n", 0, start) + 1
        if text[line:start].strip(" \t"):
            before = len(text[:start].rstrip(" \t"))
            return (before, stop) if text[before - 1] not in "{[" else (start, self.spaces_end(stop))
        if text[self.spaces_end(stop) :].startswith(("\r\n", "\n")):
            return line, text.index("\n", stop) + 1
        break_before = 2 if text[:line].endswith("\r\n") else 1
        ends_in_comment = self.bare[: line - break_before].rstrip() != text[: line - break_before].rstrip()
        return (start, stop) if ends_in_comment else (line - break_before, stop)

    def spaces_end(self, at: int) -> int:
        """Return where the spaces end that begin here."""
        return len(self.text) - len(self.text[at:].lstrip(" \t"))

    def in_comment(self, at: int) -> bool:
        """Return whether a position is inside a comment."""
        return any(
            found.start() < at < found.end() for found in COMMENT.finditer(self.text) if found[0].startswith("/*")
        )

    def text_of(self, value: Any, indent: str, *, pretty: bool) -> str:
        """Return a value as text, its further lines indented."""
        if not pretty:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit).split("\n")
        return f"{self.newline}{indent}".join(lines)


def spaces(found: re.Match[str]) -> str:
    """Return a string as it is, and anything else as spaces of its length."""
    return found[0] if found[0].startswith('"') else re.sub(r"[^\r\n]", " ", found[0])


def load(text: str) -> Any:
    """Return the values of a text; an empty one is an empty object.

    Raises:
        ValueError: It is no JSON.
    """
    plain = Text(text).plain
    return json.loads(plain) if plain.strip() else {}


def comments(text: str) -> list[str]:
    """Return the comments of a text, in order."""
    return [found[0] for found in COMMENT.finditer(text) if found[0].startswith("/")]


def edit(text: str, changes: tuple[Change, ...]) -> str:
    """Return the text with the changes made; all else is as it was.

    Raises:
        InvalidArgumentError: They can't be made in it.
    """
    if not Text(text).plain.strip():
        text = f"{text}{{}}{Text(text).newline}"
    for change in changes:
        match change:
            case Set():
                text = put(text, change.path, change.value)
            case Add():
                text = add(text, change.path, change.item)
            case Remove():
                text = take(text, change.path, change.prune)
            case Drop():
                text = drop(text, change)
    return text


def put(text: str, path: Keys, value: Any) -> str:
    """Return the text with a value at a path; of an object that is there, only what differs changes."""
    there = load(text)
    known = depth(there, path)
    if known < len(path):
        for key in reversed(path[known + 1 :]):
            value = {key: value}
        return insert(text, path[:known], path[known], value)
    old = value_at(there, path)
    if not (isinstance(old, dict) and isinstance(value, dict)):
        return text if old == value else replace(text, path, value)
    for key in old.keys() - value.keys():
        text = take(text, (*path, key), 0)
    for key, part in value.items():
        text = put(text, (*path, key), part)
    return text


def add(text: str, path: Keys, item: Any) -> str:
    """Return the text with an item more at the end of a list."""
    if depth(load(text), path) < len(path):
        return put(text, path, [item])
    return insert(text, path, None, item)


def insert(text: str, path: Keys, key: str | None, value: Any) -> str:
    """Return the text with a member or item more at the end of the object or array at a path."""
    places = Text(text)
    start = places.find(path)
    if key is not None and places.plain.startswith("null", start):
        return replace(text, path, {key: value})
    if text[start] != ("[" if key is None else "{"):
        raise InvalidArgumentError(f"`{'.'.join(path)}` is {'no list' if key is None else 'no object'}.")
    items, end = places.items(start)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not items:
        return into_empty(places, start, end, name, value, pretty="\n" in text or not path)
    last = items[-1]
    comma = places.bare[places.skip(last.end)] == ","
    after = places.skip(last.end) + 1 if comma else last.end
    if "\n" not in text[start:end]:
        new = f"{name}{places.text_of(value, '', pretty=False)}"
        return f"{text[:after]} {new},{text[after:]}" if comma else f"{text[:after]}, {new}{text[after:]}"
    indent = places.indent(last.start) if places.begins_line(last.start) else places.indent(start) + places.unit
    at = places.line_end(after)
    new = f"{places.newline}{indent}{name}{places.text_of(value, indent, pretty=True)}"
    if comma:
        return f"{text[:at]}{new},{text[at:]}"
    return f"{text[: last.end]},{text[last.end : at]}{new}{text[at:]}"


def into_empty(places: Text, start: int, end: int, name: str, value: Any, *, pretty: bool) -> str:
    """Return the text with the first member or item of what has none yet; comments in it stay before."""
    text, outer = places.text, places.indent(start)
    indent = outer + places.unit if pretty else ""
    new = f"{name}{places.text_of(value, indent, pretty=pretty)}"
    inner = text[start + 1 : end]
    kept = inner.rstrip()
    if not pretty and not kept:
        return f"{text[: start + 1]}{new}{text[end:]}"
    rest = inner[len(kept) :] if kept and "\n" in inner[len(kept) :] else places.newline + outer
    return f"{text[: start + 1]}{kept}{places.newline}{indent}{new}{rest}{text[end:]}"


def replace(text: str, path: Keys, value: Any) -> str:
    """Return the text with another value at a path."""
    places = Text(text)
    at = places.find(path)
    end = DECODER.raw_decode(places.plain, at)[1]
    pretty = "\n" in text[at:end] or not isinstance(value, dict | list)
    return f"{text[:at]}{places.text_of(value, places.indent(at), pretty=pretty)}{text[end:]}"


def take(text: str, path: Keys, prune: int) -> str:
    """Return the text without a key, and without the objects above it that are empty then."""
    while True:
        places = Text(text)
        items, _ = places.items(places.find(path[:-1]))
        number = next(number for number, item in enumerate(items) if item.key == path[-1])
        text = cut(places, path[:-1], number)
        path = path[:-1]
        if not prune or not path or value_at(load(text), path):
            return text
        prune -= 1


def drop(text: str, change: Drop) -> str:
    """Return the text without an item of a list."""
    there = value_at(load(text), change.path)
    if there == [change.item] and change.prune:
        return take(text, change.path, change.prune - 1)
    return cut(Text(text), change.path, there.index(change.item))


def cut(places: Text, path: Keys, number: int) -> str:
    """Return the text without one member or item of what is at a path, its comma, and its line if it has one."""
    text, start = places.text, places.find(path)
    items, end = places.items(start)
    item, comma = items[number], places.skip(items[number].end)
    stop = comma + 1 if places.bare[comma] == "," else item.end
    first, last = places.around(item.start, stop)
    rest = text[:first] + text[last:]
    if stop == item.end and number:
        before = places.skip(items[number - 1].end)
        return rest[:before] + rest[before + 1 :]
    closing = end - (last - first)
    return rest if rest[start + 1 : closing].strip() else rest[: start + 1] + rest[closing:]
