"""Configuration files edited in place: the right values, and all else as a person has written it."""

import json
import re
import tomllib
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.connect import jsonc, toml, yaml
from firmmem.connect.changes import (
    Add,
    Change,
    Drop,
    Remove,
    Set,
    as_plain,
    effective,
    from_plain,
    inverse,
    with_changes,
)
from firmmem.connect.formats import edit
from firmmem.errors import InvalidArgumentError

ENTRY = {"command": "/bin/firmmem-mcp", "args": [], "env": {"FIRMMEM_DB": "C:\\new\\记忆.db"}}

KEYS = st.sampled_from(["a", "b", "mcpServers", "firmmem", "记", 'q"\\'])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x // y", "/* z */", ",]", '"', "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
COMMENTS = st.sampled_from(["", " ", "\n", "// c, {\n", "/* } */", "/* two\nlines */\n", "\t", "  \n  "])


@st.composite
def commented(draw: st.DrawFn, value: Any) -> str:
    """Draw a text of a value with spaces, comments and trailing commas wherever they may be."""
    space = lambda: draw(COMMENTS)  # noqa: E731 - it is drawn anew each time
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else [(None, part) for part in value]
        parts = [
            f"{space()}{name}{space()}{draw(commented(part))}{space()}"
            for key, part in pairs
            for name in ["" if key is None else f"{json.dumps(key)}{space()}:"]
        ]
        comma = draw(st.sampled_from(["", ","]))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return f"{opening}{','.join(parts)}{comma}{space()}{closing}"
    if value in ({}, []):
        return str(value)[0] + space() + str(value)[1]
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def jsonc_texts(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(st.dictionaries(KEYS, PLAIN, max_size=4))
    return value, f"{draw(COMMENTS)}{draw(commented(value))}{draw(COMMENTS)}"


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(jsonc_texts(), st.lists(KEYS, min_size=1, max_size=3), PLAIN)
def test_jsonc_keeps_every_comment_and_can_take_a_value_back(
    drawn: tuple[dict[str, Any], str], path: list[str], new: Any
) -> None:
    value, text = drawn
    assert jsonc.load(text) == value
    change = Set(tuple(path), new)
    try:
        expected = with_changes(value, (change,))
    except InvalidArgumentError:
        return
    after = jsonc.edit(text, (change,))
    assert jsonc.load(after) == expected
    back = inverse(value, (change,))
    again = jsonc.edit(after, back)
    assert jsonc.load(again) == value
    if isinstance(back[0], Remove):
        assert jsonc.comments(again) == jsonc.comments(text)
        assert without_space(again) == without_space(text)


@given(jsonc_texts(), PLAIN)
def test_an_item_added_to_a_list_goes_again(drawn: tuple[dict[str, Any], str], item: Any) -> None:
    value, text = drawn
    change = Add(("list", "of"), item)
    after = jsonc.edit(text, (change,))
    assert jsonc.load(after) == with_changes(value, (change,))
    assert without_space(jsonc.edit(after, inverse(value, (change,)))) == without_space(text)


YAML_TEXTS = [
    "",
    "# only a comment\n",
    "a: 1",
    "mcp_servers:\n",
    "mcp_servers: {}\nagent: {disabled_toolsets: [web]}\n",
    "mcp_servers: null # none\n",
    "# mine\nmcp_servers:\n    # 1\n    time:\n        command: \"uvx\"  # x\n        args: ['a',  'b']\n    # end\n",
    "agent:\n  disabled_toolsets:\n    - web   # no\n  long: >-\n    folded\n  # about b\nb: {default:   x}\n",
    "agent:\n  disabled_toolsets:\n  - web\nx: 1\n",
    "t: |\n  a\n\n  b\n\n# c\n",
    'base: &base {k: v}\nuse:\n  <<: *base\n记忆: "é"\nmcp_servers: {\n  a: {b: c},\n  }\n',
    "memory:\n  memory_enabled: true  # of its own\n  provider: ''\n",
]
HERMES: tuple[Change, ...] = (
    Set(("mcp_servers", "firmmem"), ENTRY),
    Set(("memory", "memory_enabled"), False),
    Add(("agent", "disabled_toolsets"), "memory"),
    Set(("mcp_discovery_timeout",), 10),
)


@pytest.mark.parametrize("text", YAML_TEXTS)
def test_yaml_keeps_lines_that_are_not_changed_and_can_be_taken_back(text: str) -> None:
    there = yaml.load(text)
    after = yaml.edit(text, HERMES)
    assert yaml.load(after) == with_changes(there, HERMES)
    assert [line for line in comments_of(text) if line not in after] == []
    back = yaml.edit(after, inverse(there, effective(there, HERMES)))
    assert {key: value for key, value in yaml.load(back).items() if value} == {
        key: value for key, value in there.items() if value
    }
    if "<<" not in text and "mcp_servers" not in text:
        assert back == (text if text.endswith("\n") or not text else f"{text}\n")


def comments_of(text: str) -> list[str]:
    return re.findall(r"# .*", text)


def test_yaml_that_a_person_indents_otherwise_stays_so() -> None:
    text = YAML_TEXTS[6]
    after = yaml.edit(text, (HERMES[0],))
    assert "    time:\n        command: \"uvx\"  # x\n        args: ['a',  'b']\n    firmmem:\n" in after


@given(st.dictionaries(KEYS, PLAIN, max_size=4), st.lists(KEYS, min_size=1, max_size=3), PLAIN)
def test_yaml_gets_any_value_at_any_place(value: dict[str, Any], path: list[str], new: Any) -> None:
    text = yaml.dump(value, yaml.YAML())
    change = Set(tuple(path), new)
    try:
        expected = with_changes(value, (change,))
    except InvalidArgumentError:
        return
    after = yaml.edit(text, (change,))
    assert yaml.load(after) == expected
    assert yaml.load(yaml.edit(after, inverse(value, (change,)))) == value


TOML_TEXTS = [
    "",
    "# mine\n",
    'model = "x"  # mine\n\n[mcp_servers.a]\ncommand = "b" # c\n\n[tui]\nx = 1\n',
    "[mcp_servers]\n",
    'mcp_servers = { a = { command = "b" } }\n',
    "[[list]]\na = 1\n[list.inner]\nb = 2\n",
]


@pytest.mark.parametrize("text", TOML_TEXTS)
def test_toml_is_edited_and_comes_back_byte_by_byte(text: str) -> None:
    there = toml.load(text)
    after = toml.edit(text, (HERMES[0],))
    assert tomllib.loads(after) == with_changes(there, (HERMES[0],))
    assert comments_of(after) == comments_of(text)
    back = toml.edit(after, inverse(there, (HERMES[0],)))
    assert tomllib.loads(back) == there
    assert back.split() == text.split()


@pytest.mark.parametrize("module", [jsonc, toml, yaml])
def test_an_entry_that_is_there_changes_only_where_it_differs(module: ModuleType) -> None:
    texts = {
        jsonc: '{"s": {\n  "f": {"command": "old", /* why */ "mine": true, "env": {"A": "1"}}\n}}\n',
        toml: '[s.f]\ncommand = "old" # why\nmine = true\nenv = {A = "1"}\n',
        yaml: "s:\n  f:\n    command: old # why\n    mine: true\n    env: {A: '1'}\n",
    }
    after = module.edit(texts[module], (Set(("s", "f"), {"command": "new", "mine": True, "env": {"A": "1"}}),))
    assert after == texts[module].replace("old", "new", 1).replace("command: new", "command: new")


def test_a_list_that_empties_goes_as_far_as_it_was_made() -> None:
    there: dict[str, Any] = {"agent": {"x": 1}}
    change = Add(("agent", "tools", "off"), "memory")
    back = inverse(there, (change,))
    assert back == (Drop(("agent", "tools", "off"), "memory", 2),)
    assert with_changes(with_changes(there, (change,)), back) == there


def test_changes_survive_being_written_down() -> None:
    for change in (*HERMES, Remove(("a", "b"), 1), Drop(("a",), "x", 2)):
        assert from_plain(json.loads(json.dumps(as_plain(change)))) == change


def test_taking_out_puts_back_what_was_there() -> None:
    there: dict[str, Any] = {"a": {"b": 1}, "l": ["x", "y"]}
    changes = (Remove(("a", "b")), Drop(("l",), "x"))
    assert effective(there, (*changes, Remove(("no",)), Drop(("no",), 1))) == changes
    assert with_changes(with_changes(there, changes), inverse(there, changes)) == {"a": {"b": 1}, "l": ["y", "x"]}


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ('{"a": 1}', Set(("a", "b"), 1)),
        ('{"a": {"x": 1}}', Add(("a",), 1)),
        ('{"a": 1, "a": {}}', Set(("a", "b"), 1)),
    ],
)
def test_what_is_in_the_way_is_named(text: str, change: Change) -> None:
    with pytest.raises(InvalidArgumentError):
        edit("json", text, (change,))
