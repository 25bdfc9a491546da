"""Rows and values of the file as JSON for programs: times as dates, lists as lists, hashes left out."""

import json
import math
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from firmmem.dates.moments import format_time

LISTS = ("tags", "supersedes", "memories")
HIDDEN = ("identity", "words", "repeated", "search_id", "shelf", "stream", "rank_key", "length")


def row_as_json(row: Any) -> dict[str, Any]:
    """Return a row's columns that mean something to a reader, by name."""
    return {name: column(name, row[name]) for name in row.keys() if name not in HIDDEN}  # noqa: SIM118 - of a row


def rows_as_json(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return rows one after another."""
    return [row_as_json(row) for row in rows]


def column(name: str, value: Any) -> Any:
    """Return one value as JSON holds it."""
    if isinstance(value, float) and (name == "at" or name.endswith("_at")):
        return format_time(value)
    if name in LISTS and isinstance(value, str):
        return json.loads(value)
    return value_as_json(value)


def value_as_json(value: Any) -> Any:
    """Return what a dataclass, a named tuple or a collection of them holds; an infinite number is null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: column(name, held) for name, held in shallow(value).items()}
    if hasattr(value, "_asdict"):
        return {name: column(name, held) for name, held in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): column(str(name), held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [value_as_json(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shallow(value: Any) -> dict[str, Any]:
    """Return a dataclass's fields by name."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
