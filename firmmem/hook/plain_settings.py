"""The settings of a hook: those of a server, read without pydantic, which takes longer to import than a hook.

What each setting may be is in settings_table.json, which scripts/docs_tables.py writes from `Settings`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from firmmem.env_file import data_folder, drop_empty, find_env_file, read_env_file
from firmmem.errors import SettingsError

if TYPE_CHECKING:
    from firmmem.settings import Settings

TABLE = Path(__file__).with_name("settings_table.json")
TRUE = frozenset({"1", "true", "yes", "on", "enabled", "enable", "y", "t"})


def read_plain_settings() -> Settings:
    """Return an object with the attributes of `Settings`.

    Raises:
        SettingsError: A value is wrong, or the .env file can't be read.
    """
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    names = [row["variable"] for row in table.values()]
    try:
        said = drop_empty(read_env_file(find_env_file()), names) | drop_empty(os.environ, names)
    except (OSError, UnicodeDecodeError):
        raise SettingsError("the .env file can't be read") from None
    return cast("Settings", SimpleNamespace(**{field: read_value(row, said) for field, row in table.items()}))


def read_value(row: dict[str, Any], said: dict[str, str]) -> Any:
    """Return the value of one setting."""
    text = said.get(row["variable"])
    if row["kind"] == "path":
        path = Path(text or row["default"]).expanduser()
        return path if path.is_absolute() else data_folder() / path
    if text is None:
        return row["default"]
    try:
        value = convert(row, text)
    except ValueError:
        raise SettingsError(f"{row['variable']} is {text!r}: it can't be that") from None
    return value


def convert(row: dict[str, Any], text: str) -> Any:
    """Return a text as the kind of value that a setting has; ValueError where it can't be."""
    if "${" in text:
        raise ValueError(text)
    match row["kind"]:
        case "bool":
            return text.lower() in TRUE
        case "int" | "float":
            number = int(text) if row["kind"] == "int" else float(text)
            if not row["least"] <= number <= row["most"]:
                raise ValueError(text)
            return number
        case "choice":
            return {choice.lower(): choice for choice in row["choices"]}.get(text.lower(), row["default"])
    return text
