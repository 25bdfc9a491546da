"""Finds which argument of a tool a client means: `goalId`, `Goal-ID`, `q`, `text`, `id` are understood."""

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache

from firmmem.edge.argument_kinds import format_value, ids

_STATEMENT = ("text", "content", "statement", "memory", "message", "body", "value", "description", "内容")
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "fact": ("summary", "core_fact", *_STATEMENT),
    "summary": ("fact", "event", "note", *_STATEMENT),
    "query": ("q", "search", "search_query", "question", "keyword", "term", "text", "content", "prompt", "查询"),
    "note": ("comment", "reason", "text", "content"),
    "reason": ("comment", "note", "text", "content"),
    "memory_ids": ("id", "memory"),
    "goal_id": ("goal",),
    "subject": ("topic", "key"),
    "tags": ("label", "keyword"),
    "tiers": ("level", "tier_name", "memory_tier"),
    "limit": ("k", "top_k", "n", "count", "max_result", "num_result"),
    "token_budget": ("max_tokens", "token", "budget", "token_limit"),
    "since": ("after", "from", "start", "start_date", "from_date"),
    "until": ("before", "to", "end", "end_date", "to_date"),
    "supersedes": ("replaces", "supersede", "superseded_id"),
    "outcome": ("rating", "vote", "feedback", "result"),
    "include_archived": ("archived", "with_archived"),
    "namespace": ("ns",),
}


def rename_arguments(arguments: Mapping[str, object], properties: Iterable[str], notes: list[str]) -> dict[str, object]:
    """Return the arguments under the tool's own names; a note tells of each that is none of them."""
    known = _find_known(tuple(properties))
    own = set(known.values())
    named = {name: arguments[name] for name in own if name in arguments}
    for sent in [each for each in arguments if each not in named]:
        name, value = known.get(_fold(sent)), arguments[sent]
        if name is None and "query" in own and _names_a_memory(sent):
            name, value = "query", _as_query(value)
        if name is not None and _is_blank(named.get(name)):
            named[name] = value
        else:
            notes.append(_note_ignored(sent, own))
    return named


@cache
def _find_known(names: tuple[str, ...]) -> Mapping[str, str]:
    others = {_fold(other): name for name in reversed(names) for other in _OTHER_NAMES.get(name, ())}
    return others | {_fold(name): name for name in names}


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower().removesuffix("s")


def _names_a_memory(sent: str) -> bool:
    return _fold(sent) in ("id", "memoryid")


def _is_blank(value: object) -> bool:
    return value is None or value == ""


def _as_query(value: object) -> object:
    """Return ids as the query that reads them, `#5 #12`; what is no id stays as it is."""
    try:
        return " ".join(f"#{each}" for each in ids(value, lambda _: None))
    except (ValueError, OverflowError, RecursionError):
        return value


def _note_ignored(sent: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(format_value(sent), sorted(names), 1)
    return f"unknown argument '{format_value(sent)}' ignored" + (f", did you mean '{near[0]}'?" if near else "")
