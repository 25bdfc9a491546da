"""YAML, edited at the positions that ruamel.yaml gives, so that lines which a change does not concern stay as written.

Where that does not lead to the right values (a flow mapping over several lines, an anchor in the way), ruamel.yaml
writes the whole file, which keeps comments and order too.
"""

import json
import re
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from firmmem.connect.changes import Add, Change, Drop, Keys, Remove, Set, apply, depth, value_at, with_changes

WIDE = 1 << 20  # no line is broken
WORD = re.compile(r"[A-Za-z/][\w./-]*", re.ASCII)
RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def load(text: str) -> Any:
    """Return the values of a text; an empty one is an empty mapping.

    Raises:
        ValueError: It is no YAML.
    """
    try:
        found = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError) as error:
        raise ValueError(str(error)) from None
    return {} if found is None else found


def edit(text: str, changes: tuple[Change, ...]) -> str:
    """Return the text with the changes made; all else is as it was wherever that can be."""
    if text and not text.endswith("\n"):
        text += "\n"
    for change in changes:
        text = one_change(text, change)
    return text


def one_change(text: str, change: Change) -> str:
    """Return the text with a change made at its place, or else with the whole text written again."""
    wanted = with_changes(load(text), (change,))
    try:
        new = in_place(text, change)
        if load(new) == wanted:
            return new
    except (ValueError, LookupError):
        pass
    return rewrite(text, change)


def rewrite(text: str, change: Change) -> str:
    """Return the text as ruamel.yaml writes it after the change."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = WIDE
    document = yaml.load(text)
    apply(document, change)
    return dump(document, yaml)


def dump(value: Any, yaml: YAML) -> str:
    """Return values as text."""
    out = StringIO()
    yaml.dump(value, out)
    return out.getvalue()


def in_place(text: str, change: Change) -> str:
    """Return the text with a change made where it belongs; whether the values are right is for the caller to see.

    Raises:
        ValueError: This can't be done at one place.
    """
    there = load(text)
    match change:
        case Set():
            return put(text, there, change.path, change.value)
        case Add() if depth(there, change.path) < len(change.path):
            return put(text, there, change.path, [change.item])
        case Add():
            return Editing(text).append(change.path, change.item)
        case Remove():
            return take(text, there, change.path, change.prune)
        case Drop():
            items = value_at(there, change.path)
            if items == [change.item]:
                return (
                    take(text, there, change.path, change.prune - 1)
                    if change.prune
                    else put(text, there, change.path, [])
                )
            return Editing(text).cut(change.path, items.index(change.item))


def put(text: str, there: Any, path: Keys, value: Any) -> str:
    """Return the text with a value at a path; of a mapping that is there, only what differs changes."""
    known = depth(there, path)
    if not there:
        return text + dump(with_changes({}, (Set(path, value),)), YAML())
    if known < len(path):
        for key in reversed(path[known + 1 :]):
            value = {key: value}
        return Editing(text).insert(path[:known], path[known], value)
    old = value_at(there, path)
    if not (isinstance(old, dict) and isinstance(value, dict)):
        return text if old == value else Editing(text).replace(path, value)
    for key in old.keys() - value.keys():
        text = take(text, load(text), (*path, key), 0)
    for key, part in value.items():
        text = put(text, load(text), (*path, key), part)
    return text


def take(text: str, there: Any, path: Keys, prune: int) -> str:
    """Return the text without a key, and without the mappings above it that are empty then."""
    while prune > 0 and len(path) > 1 and len(value_at(there, path[:-1])) == 1:
        path, prune = path[:-1], prune - 1
    siblings = value_at(there, path[:-1])
    if len(siblings) == 1 and path[:-1]:
        return Editing(text).replace(path[:-1], {})
    return Editing(text).cut(path[:-1], list(siblings).index(path[-1]))


class Editing:
    """A text, with the place of each node in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: Any = YAML().compose(text)

    def insert(self, path: Keys, key: str, value: Any) -> str:
        """Return the text with a key more at the end of the mapping at a path."""
        node, parent_column = self.find(path)
        if isinstance(node, MappingNode) and not node.flow_style:
            return self.after(node, block({key: value}, node.value[0][0].start_mark.column))
        if isinstance(node, MappingNode):
            return self.in_flow(node, f"{json.dumps(key)}: {inline(value)}")
        if isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index:
            return self.after(node, block({key: value}, parent_column + 2))
        return self.replace(path, {key: value})

    def append(self, path: Keys, item: Any) -> str:
        """Return the text with an item more at the end of the list at a path."""
        node, _ = self.find(path)
        if node.flow_style:
            return self.in_flow(node, inline(item))
        return self.after(node, f"{' ' * node.start_mark.column}- {inline(item)}\n")

    def replace(self, path: Keys, value: Any) -> str:
        """Return the text with another value at a path, in its line."""
        node, _ = self.find(path)
        end = node.end_mark.index
        if isinstance(node, MappingNode | SequenceNode) and not node.flow_style:
            end = self.line(last_line(node) + 1) - 1
            start = self.text.rindex(":", 0, node.start_mark.index) + 1
            return f"{self.text[:start]} {inline(value)}{self.text[end:]}"
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            raise ValueError("it is a block of lines")
        return f"{self.text[: node.start_mark.index]}{inline(value)}{self.text[end:]}"

    def cut(self, path: Keys, number: int) -> str:
        """Return the text without one member or item of what is at a path."""
        node, _ = self.find(path)
        spans = [(part[0], part[1]) if isinstance(part, tuple) else (part, part) for part in node.value]
        first, last = spans[number]
        if not node.flow_style:
            start, end = self.line(first.start_mark.line), self.line(last_line(last) + 1)
            if self.text[start : first.start_mark.index].strip() not in ("", "-"):
                raise ValueError("more is in its line")
            return self.text[:start] + self.text[end:]
        start, end = first.start_mark.index, last.end_mark.index
        if number:
            start = spans[number - 1][1].end_mark.index
        elif len(spans) > 1:
            end = spans[1][0].start_mark.index
        return self.text[:start] + self.text[end:]

    def find(self, path: Keys) -> tuple[Any, int]:
        """Return the node at a path, and the column of its key.

        Raises:
            LookupError: A key is not there as it is written.
        """
        node, column = self.root, -2
        for key in path:
            name, node = next((pair for pair in node.value if pair[0].value == key), (None, None))
            if name is None:
                raise LookupError(key)
            column = name.start_mark.column
        return node, column

    def after(self, node: Node, lines: str) -> str:
        """Return the text with lines more after a node's last."""
        at = self.line(last_line(node) + 1)
        return f"{self.text[:at]}{lines}{self.text[at:]}"

    def in_flow(self, node: Any, piece: str) -> str:
        """Return the text with a piece more before the closing bracket of a node."""
        at = node.end_mark.index - 1
        return f"{self.text[:at]}{', ' if node.value else ''}{piece}{self.text[at:]}"

    def line(self, number: int) -> int:
        """Return where a line begins."""
        at = 0
        for _ in range(number):
            at = self.text.find("\n", at) + 1
            if not at:
                return len(self.text)
        return at


def last_line(node: Any) -> int:
    """Return the last line that has something of a node in it."""
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        part = node.value[-1]
        return last_line(part[1] if isinstance(part, tuple) else part)
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return int(node.start_mark.line) + len(node.value.rstrip("\n").split("\n"))
    return int(node.end_mark.line)


def block(value: Any, column: int) -> str:
    """Return values as indented lines."""
    return re.sub("(?m)^", " " * column, dump(value, YAML()).rstrip("\n")) + "\n"


def inline(value: Any) -> str:
    """Return a value in one line, a word without quotes; the escapes of JSON are those of YAML's double quotes."""
    if isinstance(value, str) and WORD.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)
