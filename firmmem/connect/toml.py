"""TOML, edited by tomlkit, which keeps every comment, space and order."""

import tomllib
from typing import Any

import tomlkit

from firmmem.connect.changes import Change, apply


def load(text: str) -> Any:
    """Return the values of a text.

    Raises:
        ValueError: It is no TOML.
    """
    return tomllib.loads(text)


def edit(text: str, changes: tuple[Change, ...]) -> str:
    """Return the text with the changes made; all else is as it was."""
    document = tomlkit.parse(text)
    for change in changes:
        apply(document, change, lambda: tomlkit.table(is_super_table=True))
    return tomlkit.dumps(document)
