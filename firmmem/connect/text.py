"""A file that is FirmMem's own as a whole, such as a plugin's: its text is its one value."""

from typing import Any

from firmmem.connect.changes import Change, with_changes


def load(text: str) -> Any:
    """Return the text as a value."""
    return {"text": text}


def edit(text: str, changes: tuple[Change, ...]) -> str:
    """Return the text that the changes set."""
    new: str = with_changes(load(text), changes)["text"]
    return new
